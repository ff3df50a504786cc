// SPDX-License-Identifier: Apache-2.0
// What hands do in the viewport: mouse, wheel and fingers.

export function hands(app) {
  const box = app.viewport.box;
  const down = new Map(); // pointers
  let spread = null; // of two fingers: distance, angle, middle

  const size = () => box.clientHeight || 1;

  function two() {
    const [a, b] = [...down.values()];
    return { d: Math.hypot(b.x - a.x, b.y - a.y), r: Math.atan2(b.y - a.y, b.x - a.x), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  function drag(event, dx, dy) {
    const c = app.camera;
    if (event.altKey) c.roll += dx / size() * 3;
    else if (event.shiftKey || event.buttons & 4) c.pan(dx / size(), dy / size());
    else if (event.ctrlKey || event.buttons & 2) c.dolly(Math.exp(dy / size() * 3));
    else c.turn(dx / size() * 3, dy / size() * 3);
  }

  function pinch() {
    const now = two(), c = app.camera;
    c.dolly(spread.d / Math.max(1, now.d));
    c.pan((now.x - spread.x) / size(), (now.y - spread.y) / size());
    let turned = now.r - spread.r;
    turned -= 2 * Math.PI * Math.round(turned / (2 * Math.PI));
    c.roll -= turned;
    spread = now;
  }

  const wiper = document.getElementById('wiper');
  const wipe = (share) => { app.viewport.split = Math.max(0.02, Math.min(0.98, share)); app.viewport.compared(); };
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
    spread = down.size === 2 ? two() : null;
    box.classList.add('held');
    event.preventDefault();
  });
  box.addEventListener('pointermove', (event) => {
    const p = down.get(event.pointerId);
    if (!p) return;
    const dx = event.clientX - p.x, dy = event.clientY - p.y;
    Object.assign(p, { x: event.clientX, y: event.clientY });
    if (down.size === 1) drag(event, dx, dy);
    else if (down.size === 2 && spread) pinch();
    app.viewport.moved();
  });
  for (const name of ['pointerup', 'pointercancel'])
    box.addEventListener(name, (event) => {
      down.delete(event.pointerId);
      spread = null;
      if (!down.size) box.classList.remove('held');
    });
  box.addEventListener('contextmenu', (event) => event.preventDefault());
  box.addEventListener('wheel', (event) => {
    event.preventDefault();
    const steps = event.deltaMode === 1 ? event.deltaY / 3 : event.deltaY / 100;
    if (app.mode === 'slice') app.panel.step(-Math.sign(steps));
    else if (app.camera) app.camera.dolly(Math.exp(0.12 * steps));
    app.viewport.moved();
  }, { passive: false });
}
