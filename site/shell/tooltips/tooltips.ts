/** Milliseconds that the pointer must stay over an element before its tooltip opens. */
const DELAY_MS = 700;
/** For this many milliseconds after a tooltip closes, the next tooltip opens without delay. */
const SKIP_DELAY_MS = 300;

/** @param sinceClosed milliseconds since the last tooltip closed; null if there was none */
export function openDelay(sinceClosed: number | null): number {
  return sinceClosed !== null && sinceClosed <= SKIP_DELAY_MS ? 0 : DELAY_MS;
}

/** Pixels between a tooltip and its element. Also the minimum distance from the window's left and right edges. */
const GAP = 8;
/** Milliseconds that a tooltip stays open after the pointer leaves its element, so that the pointer can move to the tooltip. */
const CLOSE_DELAY_MS = 120;

const tip = document.createElement('div');
tip.id = 'tooltip';
tip.className = 'tooltip';
tip.popover = 'manual';
tip.setAttribute('role', 'tooltip');

let describedElement: HTMLElement | null = null;
let closedAt: number | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

const describedElementOf = (event: Event) =>
  event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tooltip]') : null;

function open(element: HTMLElement): void {
  clearTimeout(timer);
  if (!element.isConnected) return;
  close();
  describedElement = element;
  tip.textContent = element.dataset.tooltip ?? '';
  element.setAttribute('aria-describedby', tip.id);
  tip.showPopover();
  const elementRect = element.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const topBelow = elementRect.bottom + GAP;
  const top = topBelow + height > innerHeight ? elementRect.top - GAP - height : topBelow;
  const left = elementRect.left + elementRect.width / 2 - width / 2;
  const maxLeft = document.documentElement.clientWidth - GAP - width;
  tip.style.top = `${top}px`;
  tip.style.left = `${Math.max(GAP, Math.min(left, maxLeft))}px`;
}

function close(): void {
  clearTimeout(timer);
  if (!describedElement) return;
  describedElement.removeAttribute('aria-describedby');
  describedElement = null;
  tip.hidePopover();
  closedAt = performance.now();
}

const closeSoon = () => {
  clearTimeout(timer);
  timer = setTimeout(close, CLOSE_DELAY_MS);
};

function onPointerOver(event: PointerEvent): void {
  if (event.pointerType === 'touch') return;
  const element = describedElementOf(event);
  if (!element) return;
  clearTimeout(timer);
  if (element === describedElement) return;
  const sinceClosed = describedElement ? 0 : closedAt === null ? null : performance.now() - closedAt;
  timer = setTimeout(() => open(element), openDelay(sinceClosed));
}

function onPointerOut(event: PointerEvent): void {
  const element = describedElementOf(event);
  if (!element || (event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) return;
  closeSoon();
}

function onFocusIn(event: Event): void {
  const element = describedElementOf(event);
  if (element?.matches(':focus-visible')) open(element);
}

/** Shows tooltips on hover and keyboard focus. @param firstEvent the event that loaded this script, handled first */
export function followTooltips(firstEvent: Event): void {
  // Accessibility rules require all content to be in a landmark.
  (document.querySelector('footer') ?? document.body).append(tip);
  tip.addEventListener('pointerenter', () => clearTimeout(timer));
  tip.addEventListener('pointerleave', closeSoon);
  document.addEventListener('pointerover', onPointerOver);
  document.addEventListener('pointerout', onPointerOut);
  document.addEventListener('focusin', onFocusIn);
  document.addEventListener('focusout', close);
  document.addEventListener('pointerdown', close);
  document.addEventListener('scroll', close, { capture: true, passive: true });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  if (firstEvent instanceof PointerEvent) onPointerOver(firstEvent);
  else onFocusIn(firstEvent);
}
