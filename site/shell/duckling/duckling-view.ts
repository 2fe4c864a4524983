import { createElement, requireElement } from '../elements.ts';
import type { DialogTexts } from './chat-elements.ts';

const COUNTER_MIN_LENGTH = 400;

const FRAME =
  '<header><div><h2></h2><p></p></div><button class="button clear" type="button" hidden></button>' +
  '<button class="button square close" type="button"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5 5 15"/></svg></button></header>' +
  '<div class="log" role="log" tabindex="0"><ol></ol></div>' +
  '<p class="thinking" role="status"></p><p class="offline" role="status"></p>' +
  '<form><textarea rows="1" autocomplete="off" enterkeyhint="send" aria-describedby="duckling-count" autofocus></textarea>' +
  '<button class="button gold square send"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 16.5v-13M4.5 9 10 3.5 15.5 9"/></svg></button>' +
  '<p id="duckling-count" class="count"></p></form>';

function createCounterUpdater(
  input: HTMLTextAreaElement,
  counter: HTMLElement,
  texts: DialogTexts,
): () => void {
  return () => {
    const { length } = input.value;
    counter.textContent = length < COUNTER_MIN_LENGTH ? '' : texts.count.replace('{count}', String(length));
    counter.classList.toggle('full', length >= input.maxLength);
  };
}

function fitAboveKeyboard(dialog: HTMLDialogElement): void {
  const { visualViewport: viewport } = window;
  if (!viewport) return;
  const resize = () => {
    // While the visitor has zoomed in, a small viewport does not mean that the on-screen keyboard is open.
    if (viewport.scale > 1.01) return;
    dialog.style.setProperty('--visible-height', `${Math.round(viewport.height)}px`);
    dialog.style.setProperty('--visible-top', `${Math.round(viewport.offsetTop)}px`);
  };
  viewport.addEventListener('resize', resize);
  viewport.addEventListener('scroll', resize);
  resize();
}

/** Closes the dialog on a click outside it. Browsers that do not support `closedby` need a script. */
function closeOnOutsideClick(dialog: HTMLDialogElement): void {
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

export function createDucklingView(texts: DialogTexts) {
  const dialog = createElement('dialog', 'duckling');
  dialog.innerHTML = FRAME;
  const find = <Kind extends HTMLElement = HTMLElement>(selector: string) =>
    requireElement<Kind>(dialog, selector);
  const title = find('h2');
  title.id = 'duckling-title';
  title.textContent = texts.title;
  dialog.setAttribute('aria-labelledby', title.id);
  find('header p').textContent = texts.lead;
  const input = find<HTMLTextAreaElement>('textarea');
  input.setAttribute('aria-label', texts.label);
  input.placeholder = texts.placeholder;
  input.maxLength = texts.longestQuestion;
  const clearButton = find<HTMLButtonElement>('.clear');
  clearButton.textContent = texts.clear;
  const closeButton = find<HTMLButtonElement>('.close');
  closeButton.setAttribute('aria-label', texts.close);
  closeButton.addEventListener('click', () => dialog.close());
  const sendButton = find<HTMLButtonElement>('.send');
  sendButton.setAttribute('aria-label', texts.send);
  const log = find('.log');
  log.setAttribute('aria-label', texts.conversation);

  const updateCounter = createCounterUpdater(input, find('#duckling-count'), texts);
  input.addEventListener('input', updateCounter);
  const fillInput = (text: string) => {
    input.value = text.slice(0, texts.longestQuestion);
    updateCounter();
  };
  closeOnOutsideClick(dialog);
  fitAboveKeyboard(dialog);
  document.body.append(dialog);
  return {
    dialog,
    form: find<HTMLFormElement>('form'),
    input,
    send: sendButton,
    clear: clearButton,
    /** The scrollable area that contains the list of messages. */
    log,
    list: find('ol'),
    /** Announces that an answer is pending or that the chat was cleared; otherwise empty. */
    status: find('.thinking'),
    /** Announces that the browser is offline; otherwise empty. */
    offlineNotice: find('.offline'),
    fill: fillInput,
  };
}
