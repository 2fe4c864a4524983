/** A short message beside the page. At most one is shown: a new toast replaces the current one. */
export interface Toast {
  readonly title: string;
  readonly text?: string;
  /** Screen readers announce a failure at once, anything else when they are idle. */
  readonly kind?: 'plain' | 'success' | 'warning' | 'failure';
  /**
   * Seconds without pointer or focus until it closes; null: until dismissed. Default 5. The specification sets 4 for missing
   * fields, 5 for success, 6 for an unsent message, 10 for failure and 15 for denial.
   */
  readonly seconds?: 4 | 5 | 6 | 10 | 15 | null;
  /** The corner on the right. Default bottom. */
  readonly place?: 'top' | 'bottom';
  readonly actions?: readonly ToastAction[];
}

/** Closes the toast. A link to another site opens in a new tab. */
type ToastAction =
  | { readonly label: string; readonly href: string }
  | { readonly label: string; readonly run: () => void };

/** Pixels to the right after which a released toast is dismissed. */
const THRESHOLD = 50;
/** A press that moves at most this many pixels is a click. */
const SLACK = 4;

/** Dismisses an element that is swiped to the right past the threshold. */
function enableSwipe(element: HTMLElement, onSwipe: () => void): void {
  let startX: number | null = null;

  const moved = (event: PointerEvent) => (startX === null ? 0 : Math.max(0, event.clientX - startX));
  element.addEventListener('pointerdown', (event) => {
    if (event.button === 0) startX = event.clientX;
  });
  // Otherwise selected text would be dragged.
  element.addEventListener('dragstart', (event) => event.preventDefault());
  element.addEventListener('pointermove', (event) => {
    const distance = moved(event);
    if (distance < SLACK) return;
    // Captures the pointer, so that a button under it gets no click.
    if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
    element.style.translate = `${distance}px 0`;
  });
  element.addEventListener('pointerup', (event) => {
    const distance = moved(event);
    startX = null;
    if (distance >= THRESHOLD) onSwipe();
    else element.style.removeProperty('translate');
  });
  element.addEventListener('pointercancel', () => {
    startX = null;
    element.style.removeProperty('translate');
  });
}

interface Countdown {
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Calls `onEnd` after `milliseconds`, not counting pauses. */
export function startCountdown(milliseconds: number, onEnd: () => void): Countdown {
  let left = milliseconds;
  let startedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const pause = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - startedAt;
  };
  const resume = () => {
    if (timer !== undefined || isOver) return;
    startedAt = performance.now();
    timer = setTimeout(
      () => {
        isOver = true;
        onEnd();
      },
      Math.max(left, 0),
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

/** Holds two live regions, which must exist before their first toast: one polite, one assertive. */
const container = document.createElement('div');
container.className = 'toasts';
const regions = { calm: region('status'), urgent: region('alert') };
container.append(regions.calm, regions.urgent);

let shown: { readonly element: HTMLElement; readonly countdown: Countdown | null } | null = null;

function region(role: 'status' | 'alert'): HTMLElement {
  const element = document.createElement('div');
  element.setAttribute('role', role);
  return element;
}

/** Moves the container into an open dialog, since everything behind one is inert. */
function place(): void {
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1);
  const parent = dialog ?? document.body;
  if (container.parentElement === parent) return;
  parent.append(container);
  dialog?.addEventListener('close', place, { once: true });
}

function dismiss(): void {
  shown?.countdown?.cancel();
  shown?.element.remove();
  shown = null;
}

function button(label: string, onClick: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'button';
  element.textContent = label;
  element.addEventListener('click', onClick);
  return element;
}

function actionElement(action: ToastAction): HTMLElement {
  if ('run' in action) {
    return button(action.label, () => {
      dismiss();
      action.run();
    });
  }
  const link = document.createElement('a');
  link.className = 'button';
  link.textContent = action.label;
  link.href = action.href;
  if (link.origin !== location.origin) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  link.addEventListener('click', () => setTimeout(dismiss));
  return link;
}

function draw({ title, text, kind = 'plain', place: corner = 'bottom', actions = [] }: Toast): HTMLElement {
  const element = document.createElement('div');
  element.className = `toast ${kind} ${corner}`;
  const body = document.createElement('div');
  const heading = document.createElement('p');
  heading.className = 'title';
  heading.textContent = title;
  body.append(heading);
  if (text !== undefined) {
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    body.append(paragraph);
  }
  if (actions.length > 0) {
    const row = document.createElement('div');
    row.className = 'actions';
    row.append(...actions.map(actionElement));
    body.append(row);
  }
  const close = button('', dismiss);
  close.className = 'dismiss';
  close.setAttribute('aria-label', 'Dismiss');
  close.innerHTML = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5 5 15"/></svg>';
  element.append(body, close);
  return element;
}

/** Shows a toast in place of the current one. */
export function drawToast(toast: Toast): void {
  dismiss();
  place();
  const element = draw(toast);
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
  shown = { element, countdown };
  const home = toast.kind === 'failure' || toast.kind === 'warning' ? regions.urgent : regions.calm;
  // A live region announces only content that is added after it exists.
  requestAnimationFrame(() => {
    if (shown?.element === element) home.append(element);
  });
}
