import type { LONGEST_QUESTION as Declared } from '../../../data/contract/chat.ts';
import { made } from './chat-elements.ts';
import type { DialogWords } from './duckling-words.ts';

// Named by its type alone: the declaring module would bring its schemas into the browser.
const LONGEST_QUESTION: typeof Declared = 500;
/** Characters from which on they are counted before the visitor's eyes. */
const COUNTED_FROM = 400;

const FRAME =
  '<header><div><h2></h2><p></p></div><button class="button clear" type="button" hidden></button>' +
  '<button class="button square close" type="button"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5 5 15"/></svg></button></header>' +
  '<div class="log" role="log" tabindex="0"><ol></ol></div>' +
  '<p class="thinking" role="status"></p><p class="offline" role="status"></p>' +
  '<form><textarea rows="1" autocomplete="off" enterkeyhint="send" aria-describedby="duckling-count" autofocus></textarea>' +
  '<button class="button gold square send"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 16.5v-13M4.5 9 10 3.5 15.5 9"/></svg></button>' +
  '<p id="duckling-count" class="count"></p></form>';

export interface DucklingView {
  readonly dialog: HTMLDialogElement;
  readonly form: HTMLFormElement;
  readonly input: HTMLTextAreaElement;
  readonly send: HTMLButtonElement;
  readonly clear: HTMLButtonElement;
  /** Where the conversation scrolls, and its messages. */
  readonly log: HTMLElement;
  readonly list: HTMLElement;
  /** Says what goes on; empty where nothing does. */
  readonly status: HTMLElement;
  /** Says that there is no connection; empty where there is one. */
  readonly offline: HTMLElement;
  /** Puts a text into the input, as far as it has room for it. */
  readonly fill: (text: string) => void;
}

/** Shows how much room is left where little is. */
function countedInput(input: HTMLTextAreaElement, count: HTMLElement, words: DialogWords): () => void {
  return () => {
    const { length } = input.value;
    count.textContent = length < COUNTED_FROM ? '' : words.count.replace('{count}', String(length));
    count.classList.toggle('full', length >= LONGEST_QUESTION);
  };
}

/** Keeps the dialog within what a phone's keyboard leaves of the screen. */
function fitAboveKeyboard(dialog: HTMLDialogElement): void {
  const { visualViewport: seen } = window;
  if (!seen) return;
  const leaveRoom = () => {
    // A page that is magnified is not covered by a keyboard.
    if (seen.scale > 1.01) return;
    dialog.style.setProperty('--seen', `${Math.round(seen.height)}px`);
    dialog.style.setProperty('--seen-from', `${Math.round(seen.offsetTop)}px`);
  };
  seen.addEventListener('resize', leaveRoom);
  seen.addEventListener('scroll', leaveRoom);
  leaveRoom();
}

/** Closes the dialog by a press that begins and ends outside it, where the browser does not do so by itself. */
function closeFromOutside(dialog: HTMLDialogElement): void {
  dialog.setAttribute('closedby', 'any');
  if ('closedBy' in HTMLDialogElement.prototype) return;
  let isOutside = false;
  dialog.addEventListener('pointerdown', ({ target }) => {
    isOutside = target === dialog;
  });
  dialog.addEventListener('click', ({ target }) => {
    if (isOutside && target === dialog) dialog.close();
  });
}

/** The dialog of the chat with its words, put at the end of the page and not yet open. */
export function createDucklingView(words: DialogWords): DucklingView {
  const dialog = made('dialog', 'duckling');
  dialog.innerHTML = FRAME;
  const part = <Kind extends HTMLElement = HTMLElement>(selector: string): Kind => {
    const found = dialog.querySelector<Kind>(selector);
    if (!found) throw new Error(`The chat has no ${selector}.`);
    return found;
  };
  const title = part('h2');
  title.id = 'duckling-title';
  title.textContent = words.title;
  dialog.setAttribute('aria-labelledby', title.id);
  part('header p').textContent = words.lead;
  const input = part<HTMLTextAreaElement>('textarea');
  input.setAttribute('aria-label', words.label);
  input.placeholder = words.placeholder;
  input.maxLength = LONGEST_QUESTION;
  const clear = part<HTMLButtonElement>('.clear');
  clear.textContent = words.clear;
  const close = part<HTMLButtonElement>('.close');
  close.setAttribute('aria-label', words.close);
  close.addEventListener('click', () => dialog.close());
  const send = part<HTMLButtonElement>('.send');
  send.setAttribute('aria-label', words.send);
  const log = part('.log');
  log.setAttribute('aria-label', words.conversation);

  const counted = countedInput(input, part('#duckling-count'), words);
  input.addEventListener('input', counted);
  const fill = (text: string) => {
    input.value = text.slice(0, LONGEST_QUESTION);
    counted();
  };
  closeFromOutside(dialog);
  fitAboveKeyboard(dialog);
  document.body.append(dialog);
  return {
    dialog,
    form: part<HTMLFormElement>('form'),
    input,
    send,
    clear,
    log,
    list: part('ol'),
    status: part('.thinking'),
    offline: part('.offline'),
    fill,
  };
}
