// SPDX-License-Identifier: Apache-2.0
// Keyboard shortcuts.

const TURN = 0.08, PAN = 0.05, QUARTER = Math.PI / 2;

export function bindKeyboard(app) {
  const camera = (change) => () => {
    if (app.mode !== 'render' || !app.camera) return;
    change(app.camera);
    app.cameraChanged();
  };
  const step = (n) => () => app.seek(app.timeline.neighbour(n));
  const plain = {
    b: () => { if (app.isLive()) app.live.restart(); },
    ' ': () => app.isLive() ? app.live.togglePause() : app.timeline.playing ? app.timeline.pause() : app.timeline.play(),
    ArrowLeft: step(-1), ArrowRight: step(1),
    Home: () => app.seek(app.timeline.frames()[0]), End: () => app.seekLive(),
    l: () => app.timeline.toggleLoop(),
    a: () => app.lookPanel.toggle(), r: () => app.setMode('render'), s: () => app.setMode('slice'),
    x: () => app.slicePanel.setAxis('x'), y: () => app.slicePanel.setAxis('y'), z: () => app.slicePanel.setAxis('z'),
    '[': () => app.slicePanel.step(-1), ']': () => app.slicePanel.step(1),
    v: () => app.overlayLayers.toggle('particles'), o: () => app.overlayLayers.toggle('outlines'),
    d: () => app.overlayLayers.toggle('domain'), t: () => app.overlayLayers.toggle('tiles'), i: () => app.probe.toggle(),
    k: () => app.cameraPath.toggleKeyframe(), j: () => { if (app.cameraPath.keyframes.length > 1) app.cameraPath.toggleFollow(); },
    g: () => app.saveMedia.picture(), m: () => app.saveMedia.openDialog(),
    f: () => app.fitView(), 0: () => app.resetCamera(),
    1: camera((c) => c.viewFrom(0, 0)), 3: camera((c) => c.viewFrom(QUARTER, 0)), 7: camera((c) => c.viewFrom(0, QUARTER)),
    5: camera((c) => { c.parallel = !c.parallel; }),
    '+': camera((c) => c.dolly(0.88)), '=': camera((c) => c.dolly(0.88)), '-': camera((c) => c.dolly(1 / 0.88)),
    q: camera((c) => { c.roll -= TURN; }), e: camera((c) => { c.roll += TURN; }),
    c: () => app.toggleCompare(), p: () => { if (app.tune) app.togglePlots(); },
    Enter: () => app.fullScreen(), h: () => { if (app.mode === 'slice') app.slicePanel.toggleHold(); },
    '?': () => document.getElementById('help').showModal(),
  };
  const shifted = {
    ArrowLeft: camera((c) => c.orbit(-TURN, 0)), ArrowRight: camera((c) => c.orbit(TURN, 0)),
    ArrowUp: camera((c) => c.orbit(0, -TURN)), ArrowDown: camera((c) => c.orbit(0, TURN)),
  };
  const tune = (act) => () => { if (app.tune) act(); };
  const controlled = {
    z: tune(() => app.tune.undo()), s: tune(() => document.getElementById('save-open').click()),
    ArrowLeft: camera((c) => c.pan(-PAN, 0)), ArrowRight: camera((c) => c.pan(PAN, 0)),
    ArrowUp: camera((c) => c.pan(0, -PAN)), ArrowDown: camera((c) => c.pan(0, PAN)),
    1: camera((c) => c.viewFrom(2 * QUARTER, 0)), 3: camera((c) => c.viewFrom(-QUARTER, 0)), 7: camera((c) => c.viewFrom(0, -QUARTER)),
  };

  // A choice by the mouse returns the focus, so that shortcuts work; one by the keyboard keeps it.
  let pressed = false;
  document.addEventListener('pointerdown', (event) => {
    pressed = true;
    if (event.target.closest('#viewport, #timeline, #plot')) document.activeElement?.blur();
  }, true);
  document.addEventListener('change', (event) => {
    if (pressed && event.target.matches('aside select')) event.target.blur();
  });

  document.addEventListener('keydown', (event) => {
    pressed = false;
    const at = event.target;
    if (event.altKey || event.metaKey) return;
    if (document.querySelector('dialog[open]')) return;
    const save = event.ctrlKey && event.key === 's' && app.tune;
    if (at.matches('select, textarea, input:not([type=range])') && !save) return;
    if (at.matches('input[type=range]') && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (at.matches('button, summary') && (event.key === ' ' || event.key === 'Enter')) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = event.ctrlKey ? (event.shiftKey && name === 'z' ? tune(() => app.tune.redo()) : controlled[name]) : event.shiftKey && shifted[name] || plain[name];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
