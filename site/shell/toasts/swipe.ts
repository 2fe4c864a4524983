/** Pixels to the right after which a let-go toast is gone. */
const THRESHOLD = 50;
/** Pixels of movement below which a press is a click. */
const SLACK = 4;

/** Lets an element be swiped away to the right; let go earlier, it comes back. */
export function letSwipeAway(element: HTMLElement, onAway: () => void): void {
  let startX: number | null = null;

  const moved = (event: PointerEvent) => (startX === null ? 0 : Math.max(0, event.clientX - startX));
  element.addEventListener('pointerdown', (event) => {
    if (event.button === 0) startX = event.clientX;
  });
  // Marked words would be dragged along in its stead.
  element.addEventListener('dragstart', (event) => event.preventDefault());
  element.addEventListener('pointermove', (event) => {
    const distance = moved(event);
    if (distance < SLACK) return;
    // From here on the pointer is the toast's, wherever it goes: a button under it gets no click.
    if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
    element.style.translate = `${distance}px 0`;
  });
  element.addEventListener('pointerup', (event) => {
    const distance = moved(event);
    startX = null;
    if (distance >= THRESHOLD) onAway();
    else element.style.removeProperty('translate');
  });
  element.addEventListener('pointercancel', () => {
    startX = null;
    element.style.removeProperty('translate');
  });
}
