import { t } from '../../../data/model/locale.ts';
import { translateForPage } from '../../locale/localized-text.ts';
import { createButton, createElement, createLink } from '../elements.ts';

/** A short message that covers part of the page. A new toast replaces the current one, so at most one is shown. */
export interface Toast {
  readonly title: string;
  readonly text?: string;
  /** Screen readers announce warnings and failures immediately, and other toasts when they are idle. */
  readonly kind?: 'plain' | 'success' | 'warning' | 'failure';
  /**
   * Seconds until the toast closes. Default: 5. Null keeps the toast open. The countdown pauses while the pointer or the
   * focus is on the toast. The specification sets 4 for missing fields, 5 for success, 6 for an unsent message, 10 for
   * failure and 15 for denial.
   */
  readonly seconds?: 4 | 5 | 6 | 10 | 15 | null;
  /** Which right-hand corner of the screen shows the toast (left-hand on right-to-left pages). Default: bottom. */
  readonly corner?: 'top' | 'bottom';
  readonly actions?: readonly ToastAction[];
}

/** A button or link in the toast. Both close the toast. A link to another site opens in a new tab. */
type ToastAction =
  | { readonly label: string; readonly href: string }
  | { readonly label: string; readonly run: () => void; readonly shortcutKey?: string };

/** A toast that has been dragged at least this many pixels toward the edge of the screen closes on release. */
const SWIPE_DISTANCE = 50;
/** If the pointer moves fewer pixels than this, the press is a click. */
const DRAG_DISTANCE = 4;

function enableSwipe(element: HTMLElement, onSwipe: () => void): void {
  let startX: number | null = null;

  const sign = document.dir === 'rtl' ? -1 : 1;

  const distanceOf = (event: PointerEvent) =>
    startX === null ? 0 : Math.max(0, sign * (event.clientX - startX));
  element.addEventListener('pointerdown', (event) => {
    if (event.button === 0) startX = event.clientX;
  });
  // Prevents selected text from being dragged.
  element.addEventListener('dragstart', (event) => event.preventDefault());
  element.addEventListener('pointermove', (event) => {
    // The press ended outside the toast.
    if (event.buttons === 0) startX = null;
    const distance = distanceOf(event);
    if (distance < DRAG_DISTANCE) return;
    // Captures the pointer, so that releasing it over a button does not click the button.
    if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
    element.style.translate = `${sign * distance}px 0`;
  });
  element.addEventListener('pointerup', (event) => {
    const distance = distanceOf(event);
    startX = null;
    if (distance >= SWIPE_DISTANCE) onSwipe();
    else element.style.removeProperty('translate');
  });
  element.addEventListener('pointercancel', () => {
    startX = null;
    element.style.removeProperty('translate');
  });
}

/** Calls `onEnd` after `milliseconds`, not counting pauses. */
export function startCountdown(milliseconds: number, onEnd: () => void) {
  let remainingMs = milliseconds;
  let startedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const pause = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    remainingMs -= performance.now() - startedAt;
  };
  const resume = () => {
    if (timer !== undefined || isOver) return;
    startedAt = performance.now();
    timer = setTimeout(
      () => {
        isOver = true;
        onEnd();
      },
      Math.max(remainingMs, 0),
    );
  };
  resume();
  return {
    pause,
    resume,
    cancel: () => {
      pause();
      isOver = true;
    },
  };
}

const DEFAULT_SECONDS = 5;

/** Contains two live regions, one polite and one assertive. A region must exist before its first toast is added. */
const container = createElement('div', 'toasts');
const regions = { polite: createRegion('status'), assertive: createRegion('alert') };
container.append(regions.polite, regions.assertive);

let shownToast: {
  readonly element: HTMLElement;
  readonly countdown: ReturnType<typeof startCountdown> | null;
} | null = null;

function createRegion(role: 'status' | 'alert'): HTMLElement {
  const element = createElement('div', '');
  element.setAttribute('role', role);
  return element;
}

/** Moves the toasts into an open modal dialog, because everything behind the dialog is inert. */
function moveIntoDialog(): void {
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1);
  const parent = dialog ?? document.body;
  if (container.parentElement === parent) return;
  parent.append(container);
  dialog?.addEventListener('close', moveIntoDialog, { once: true });
}

function dismiss(): void {
  shownToast?.countdown?.cancel();
  shownToast?.element.remove();
  shownToast = null;
}

function actionElement(action: ToastAction): HTMLElement {
  if ('run' in action) {
    const press = () => {
      dismiss();
      action.run();
    };
    const button = createButton('button', press, translateForPage(action.label));
    if (action.shortcutKey !== undefined) {
      button.setAttribute('aria-keyshortcuts', action.shortcutKey);
      button.append(' ', createElement('kbd', '', action.shortcutKey));
    }
    return button;
  }
  const link = createLink('button', action.href, translateForPage(action.label));
  link.addEventListener('click', () => setTimeout(dismiss));
  return link;
}

function createToastElement({
  title,
  text,
  kind = 'plain',
  corner = 'bottom',
  actions = [],
}: Toast): HTMLElement {
  const body = createElement('div', '', createElement('p', 'title', translateForPage(title)));
  if (text !== undefined) body.append(createElement('p', '', translateForPage(text)));
  if (actions.length > 0) body.append(createElement('div', 'actions', ...actions.map(actionElement)));
  const close = createButton('dismiss', dismiss);
  close.setAttribute('aria-label', t('Dismiss'));
  close.innerHTML = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5 5 15"/></svg>';
  return createElement('div', `toast ${kind} ${corner}`, body, close);
}

/** Shows a toast, replacing the current one. @returns a function that closes it if it is still shown */
export function drawToast(toast: Toast): () => void {
  dismiss();
  moveIntoDialog();
  const element = createToastElement(toast);
  const seconds = toast.seconds === undefined ? DEFAULT_SECONDS : toast.seconds;
  const countdown = seconds === null ? null : startCountdown(seconds * 1_000, dismiss);
  const resume = () => {
    if (!element.matches(':hover, :focus-within')) countdown?.resume();
  };
  element.addEventListener('pointerenter', () => countdown?.pause());
  element.addEventListener('focusin', () => countdown?.pause());
  element.addEventListener('pointerleave', resume);
  element.addEventListener('focusout', () => setTimeout(resume));
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') dismiss();
  });
  enableSwipe(element, dismiss);
  shownToast = { element, countdown };
  const announcer = toast.kind === 'failure' || toast.kind === 'warning' ? regions.assertive : regions.polite;
  // A live region announces only content that is added after the region exists.
  requestAnimationFrame(() => {
    if (shownToast?.element === element) announcer.append(element);
  });
  return () => {
    if (shownToast?.element === element) dismiss();
  };
}
