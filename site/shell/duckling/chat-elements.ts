import type { CollectionEntry } from 'astro:content';
import { currentTranslation } from '../../../data/model/locale.ts';
import { intlTag } from '../../../data/model/locale-texts.ts';
import { createButton, createElement, createLink } from '../elements.ts';
import { unansweredHelp } from '../unanswered/unanswered-help.ts';
import { textElements } from './answer-text.ts';
import type { Source, Verdict } from './ask-duckling.ts';
import type { Turn } from './chat-history.ts';

/** The texts from `content/duckling/dialog.yaml`, the greeting from `answers.yaml`, and the maximum length of a question. */
export type DialogTexts = CollectionEntry<'ducklingDialog'>['data'] & {
  readonly greeting: string;
  /** In characters. */
  readonly longestQuestion: number;
};

/** The local time, such as `14:03`. */
const clockText = (at: number) => new Date(at).toLocaleTimeString(intlTag('en-GB'), { timeStyle: 'short' });

function timeElement(at: number): HTMLTimeElement {
  const element = createElement('time', '', clockText(at));
  element.dateTime = new Date(at).toISOString();
  return element;
}

function createSenderLine(name: string, at: number | null): HTMLElement {
  return createElement('p', 'sender', name, ...(at === null ? [] : [' ', timeElement(at)]));
}

/** On a translated page, gives each of the assistant's texts its own direction, and marks English texts as English. */
function markLanguage<Marked extends HTMLElement>(elements: readonly Marked[]): readonly Marked[] {
  if (!currentTranslation()) return elements;
  for (const element of elements) {
    element.dir = 'auto';
    if (!/\p{Script=Arabic}/u.test(element.textContent)) element.lang = 'en';
  }
  return elements;
}

/** @param text null if it contained a secret and was removed */
export function questionItem(text: string | null, at: number, texts: DialogTexts): HTMLLIElement {
  const bubble = createElement('p', 'bubble', text ?? texts.removed);
  if (text !== null && currentTranslation()) bubble.dir = 'auto';
  return createElement(
    'li',
    text === null ? 'question removed' : 'question',
    createSenderLine(texts.you, at),
    bubble,
  );
}

/** A message from Duckling that is not an answer: the greeting or an error message. */
export function messageItem(text: string, at: number | null, texts: DialogTexts): HTMLLIElement {
  return createElement('li', 'answer', createSenderLine(texts.title, at), ...textElements(text, texts.table));
}

function sourceList(sources: readonly Source[], texts: DialogTexts): HTMLElement {
  const links = sources.map(({ title, href }) => createElement('li', '', createLink('', href, title)));
  markLanguage(links);
  const list = createElement('ul', '', ...links);
  list.setAttribute('aria-label', texts.sources);
  return createElement('div', 'sources', createElement('p', 'note', texts.sources), list);
}

const THUMB =
  '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 9h3v8H3ZM6 9l3.5-6c1.5 0 2.2 1 1.9 2.3L10.8 8H16c1 0 1.6.8 1.4 1.7l-1.3 5.9c-.2.8-.9 1.4-1.7 1.4H6"/></svg>';

/** Asks whether an answer helped, then thanks the visitor. @param judge sends a verdict; resolves to whether it was counted */
function verdictRow(
  countedVerdict: Verdict | null,
  judge: (verdict: Verdict) => Promise<boolean>,
  texts: DialogTexts,
): HTMLElement {
  const row = createElement('div', 'verdict');
  const note = createElement('p', 'note', countedVerdict ? texts.thanks : texts.helped);
  note.setAttribute('role', 'status');
  row.append(note);
  if (countedVerdict) return row;
  const buttons = (['up', 'down'] as const).map((verdict) => {
    const press = async () => {
      const setDisabled = (isDisabled: boolean) => {
        for (const one of buttons) one.disabled = isDisabled;
      };
      if (button.disabled) return;
      const hadFocus = row.contains(document.activeElement);
      setDisabled(true);
      if (await judge(verdict)) {
        for (const one of buttons) one.remove();
        note.textContent = texts.thanks;
        // Moves the focus to the note, because the focused button was removed.
        note.tabIndex = -1;
        if (hadFocus && document.activeElement === document.body) note.focus();
      } else {
        setDisabled(false);
        note.textContent = texts.notCounted;
        if (hadFocus && document.activeElement === document.body) button.focus();
      }
    };
    const button = createButton(`thumb ${verdict}`, press);
    button.setAttribute('aria-label', texts[verdict]);
    button.innerHTML = THUMB;
    return button;
  });
  row.append(...buttons);
  return row;
}

interface AnswerActions {
  readonly judge: (verdict: Verdict) => Promise<boolean>;
  readonly ask: (question: string) => void;
}

/**
 * A reply with its sources and buttons for saying whether the reply helped. If Duckling did not answer the question, the reply
 * also offers further help.
 * @param question null if it contained a secret
 */
export function answerItem(
  { question, answer, answeredAt: at, verdict }: Omit<Turn, 'askedAt'>,
  { judge, ask }: AnswerActions,
  texts: DialogTexts,
): HTMLLIElement {
  const { text, kind, sources, closest, source, by, writtenAt } = answer;
  const item = createElement('li', `answer ${kind}`, createSenderLine(texts.title, at));
  if (kind === 'warning') {
    item.append(
      createElement(
        'div',
        'warning-box',
        createElement('p', 'warning-label', texts.warning),
        ...markLanguage(textElements(text, texts.table)),
      ),
    );
  } else item.append(...markLanguage(textElements(text, texts.table, sources)));
  if (kind === 'figure')
    item.append(createElement('p', 'note', texts.figure.replace('{time}', clockText(at))));
  if (by === 'model') item.append(createElement('p', 'note', texts.model));
  if (writtenAt !== undefined) {
    const date = new Date(writtenAt).toLocaleDateString(intlTag('en-GB'), { dateStyle: 'long' });
    item.append(createElement('p', 'note', texts.team.replace('{date}', date)));
  }
  if (sources.length > 0 && closest.length === 0) item.append(sourceList(sources, texts));
  // The `orders` guard, which refuses attempts to misuse the assistant, can also refuse an ordinary question.
  if ((kind === 'unknown' || source === 'guard:orders') && question !== null) {
    const buttons = closest.map((one) => createButton('closest', () => ask(one), one));
    item.append(unansweredHelp(question, markLanguage(buttons)));
  }
  const isJudged = source !== '' && kind !== 'small-talk' && kind !== 'warning';
  if (isJudged) item.append(verdictRow(verdict, judge, texts));
  return item;
}
