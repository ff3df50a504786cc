// SPDX-License-Identifier: Apache-2.0
// Input by mouse, wheel and touch in the viewport.

export function bindPointer(app) {
  const box = app.viewport.box;
  const down = new Map(); // pressed pointers by id
  let gesture = null; // of two fingers: distance, angle, middle

  const size = () => box.clientHeight || 1;

  function twoFingers() {
    const [a, b] = [...down.values()];
    return { d: Math.hypot(b.x - a.x, b.y - a.y), r: Math.atan2(b.y - a.y, b.x - a.x), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  function drag(event, dx, dy) {
    const c = app.camera;
    if (event.altKey) c.roll += dx / size() * 3;
    else if (event.shiftKey || event.buttons & 4) c.pan(dx / size(), dy / size());
    else if (event.ctrlKey || event.buttons & 2) c.dolly(Math.exp(dy / size() * 3));
    else c.orbit(dx / size() * 3, dy / size() * 3);
  }

  function pinch() {
    const now = twoFingers(), c = app.camera;
    c.dolly(gesture.d / Math.max(1, now.d));
    c.pan((now.x - gesture.x) / size(), (now.y - gesture.y) / size());
    let rotated = now.r - gesture.r;
    rotated -= 2 * Math.PI * Math.round(rotated / (2 * Math.PI));
    c.roll -= rotated;
    gesture = now;
  }

  const wiper = document.getElementById('wiper');
  const wipe = (fraction) => { app.viewport.split = Math.max(0.02, Math.min(0.98, fraction)); app.viewport.updateCompare(); };
  wiper.addEventListener('pointerdown', (event) => { wiper.setPointerCapture(event.pointerId); event.stopPropagation(); });
  wiper.addEventListener('pointermove', (event) => {
    event.stopPropagation();
    if (wiper.hasPointerCapture(event.pointerId)) wipe((event.clientX - box.getBoundingClientRect().left) / box.clientWidth);
  });
  wiper.addEventListener('keydown', (event) => {
    const n = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (!n) return;
    event.stopPropagation();
    event.preventDefault();
    wipe(app.viewport.split + 0.02 * n);
  });

  box.addEventListener('pointerdown', (event) => {
    box.focus({ preventScroll: true });
    if (app.mode !== 'render' || !app.camera) return;
    box.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    gesture = down.size === 2 ? twoFingers() : null;
    box.classList.add('held');
    event.preventDefault();
  });
  box.addEventListener('pointermove', (event) => {
    const p = down.get(event.pointerId);
    if (!p) return;
    const dx = event.clientX - p.x, dy = event.clientY - p.y;
    Object.assign(p, { x: event.clientX, y: event.clientY });
    if (down.size === 1) drag(event, dx, dy);
    else if (down.size === 2 && gesture) pinch();
    app.viewport.refresh();
  });
  for (const name of ['pointerup', 'pointercancel'])
    box.addEventListener(name, (event) => {
      down.delete(event.pointerId);
      gesture = null;
      if (!down.size) box.classList.remove('held');
    });
  box.addEventListener('contextmenu', (event) => event.preventDefault());
  box.addEventListener('wheel', (event) => {
    event.preventDefault();
    const steps = event.deltaMode === 1 ? event.deltaY / 3 : event.deltaY / 100;
    if (app.mode === 'slice') app.slicePanel.step(-Math.sign(steps));
    else if (app.camera) app.camera.dolly(Math.exp(0.12 * steps));
    app.viewport.refresh();
  }, { passive: false });
}
