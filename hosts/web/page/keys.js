// SPDX-License-Identifier: Apache-2.0
// The keyboard.

const TURN = 0.08, PAN = 0.05, QUARTER = Math.PI / 2;

export function keys(app) {
  const camera = (change) => () => {
    if (app.mode !== 'render' || !app.camera) return;
    change(app.camera);
    app.cameraChanged();
  };
  const step = (n) => () => app.goTo(app.timeline.beside(n));
  const plain = {
    ' ': () => app.timeline.playing ? app.timeline.pause() : app.timeline.play(),
    ArrowLeft: step(-1), ArrowRight: step(1),
    Home: () => app.goTo(app.timeline.frames()[0]), End: () => app.goLive(),
    l: () => app.timeline.toggleLoop(),
    r: () => app.setMode('render'), s: () => app.setMode('slice'),
    x: () => app.panel.axis('x'), y: () => app.panel.axis('y'), z: () => app.panel.axis('z'),
    '[': () => app.panel.step(-1), ']': () => app.panel.step(1),
    v: () => app.marks.toggle('particles'), o: () => app.marks.toggle('outlines'),
    d: () => app.marks.toggle('domain'), t: () => app.marks.toggle('tiles'), i: () => app.probe.toggle(),
    k: () => app.path.key(), j: () => { if (app.path.keys.length > 1) app.path.follow(); },
    g: () => app.keep.picture(), m: () => app.keep.open(),
    f: () => app.frameSeen(), 0: () => app.movieCamera(),
    1: camera((c) => c.side(0, 0)), 3: camera((c) => c.side(QUARTER, 0)), 7: camera((c) => c.side(0, QUARTER)),
    5: camera((c) => { c.parallel = !c.parallel; }),
    '+': camera((c) => c.dolly(0.88)), '=': camera((c) => c.dolly(0.88)), '-': camera((c) => c.dolly(1 / 0.88)),
    q: camera((c) => { c.roll -= TURN; }), e: camera((c) => { c.roll += TURN; }),
    c: () => app.compareBefore(), p: () => { if (app.tune) app.showNumbers(); },
    Enter: () => app.fullScreen(), h: () => { if (app.mode === 'slice') app.panel.hold(); },
    '?': () => document.getElementById('help').showModal(),
  };
  const shifted = {
    ArrowLeft: camera((c) => c.turn(-TURN, 0)), ArrowRight: camera((c) => c.turn(TURN, 0)),
    ArrowUp: camera((c) => c.turn(0, -TURN)), ArrowDown: camera((c) => c.turn(0, TURN)),
  };
  const tune = (act) => () => { if (app.tune) act(); };
  const controlled = {
    z: tune(() => app.tune.undo()), s: tune(() => document.getElementById('save-open').click()),
    ArrowLeft: camera((c) => c.pan(-PAN, 0)), ArrowRight: camera((c) => c.pan(PAN, 0)),
    ArrowUp: camera((c) => c.pan(0, -PAN)), ArrowDown: camera((c) => c.pan(0, PAN)),
    1: camera((c) => c.side(2 * QUARTER, 0)), 3: camera((c) => c.side(-QUARTER, 0)), 7: camera((c) => c.side(0, -QUARTER)),
  };

  // A choice made with the mouse gives the keys back; one made by keys may go on.
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
