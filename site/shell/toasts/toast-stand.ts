import { type Countdown, startCountdown } from './countdown.ts';
import type { Toast, ToastAction } from './show-toast.ts';
import { letSwipeAway } from './swipe.ts';

const DEFAULT_SECONDS = 5;

/** Where toasts stand: one region for what can wait, one for what cannot. They are there before their first words are. */
const stand = document.createElement('div');
stand.className = 'toasts';
const regions = { calm: region('status'), urgent: region('alert') };
stand.append(regions.calm, regions.urgent);

let shown: { readonly element: HTMLElement; readonly countdown: Countdown | null } | null = null;

function region(role: 'status' | 'alert'): HTMLElement {
  const element = document.createElement('div');
  element.setAttribute('role', role);
  return element;
}

/** Behind an open dialog nothing can be read or reached, so the stand moves into it for as long as it is open. */
function place(): void {
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1);
  const parent = dialog ?? document.body;
  if (stand.parentElement === parent) return;
  parent.append(stand);
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
  const words = document.createElement('div');
  const heading = document.createElement('p');
  heading.className = 'title';
  heading.textContent = title;
  words.append(heading);
  if (text !== undefined) {
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    words.append(paragraph);
  }
  if (actions.length > 0) {
    const row = document.createElement('div');
    row.className = 'actions';
    row.append(...actions.map(actionElement));
    words.append(row);
  }
  const close = button('', dismiss);
  close.className = 'dismiss';
  close.setAttribute('aria-label', 'Dismiss');
  close.innerHTML = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5 5 15"/></svg>';
  element.append(words, close);
  return element;
}

/** Shows a toast in the place of the one before. */
export function presentToast(toast: Toast): void {
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
  letSwipeAway(element, dismiss);
  shown = { element, countdown };
  const home = toast.kind === 'failure' || toast.kind === 'warning' ? regions.urgent : regions.calm;
  // A region announces what is added to it, not what it was born with.
  requestAnimationFrame(() => {
    if (shown?.element === element) home.append(element);
  });
}
