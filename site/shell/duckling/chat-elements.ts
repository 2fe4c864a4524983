import type { Answer, Source, Verdict } from './ask-duckling.ts';
import type { DialogWords } from './duckling-words.ts';

/** An element with a class and what stands in it; a text in it stays text. */
export function made<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** A time of day by the visitor's clock: `'14:03'`. */
export function clockText(at: number): string {
  const date = new Date(at);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function timeElement(at: number): HTMLTimeElement {
  const element = made('time', '', clockText(at));
  element.dateTime = new Date(at).toISOString();
  return element;
}

/** The paragraphs of a text, which a blank line parts. */
function paragraphs(text: string): readonly HTMLElement[] {
  return text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => made('p', '', paragraph.trim()));
}

function head(name: string, at: number | null): HTMLElement {
  return made('p', 'who', name, ...(at === null ? [] : [' ', timeElement(at)]));
}

/** What the visitor asked. */
export function questionItem(text: string, at: number, words: DialogWords): HTMLLIElement {
  return made('li', 'question', head(words.you, at), made('p', 'said', text));
}

/** In the place of a question that held a secret. */
export function removedItem(at: number, words: DialogWords): HTMLLIElement {
  return made('li', 'question removed', head(words.you, at), made('p', 'said', words.removed));
}

/** What Duckling says of itself: its greeting, or that something failed. */
export function wordsItem(text: string, at: number | null, words: DialogWords): HTMLLIElement {
  return made('li', 'answer', head(words.title, at), ...paragraphs(text));
}

function sourceList(sources: readonly Source[], words: DialogWords): HTMLElement {
  const links = sources.map(({ title, href }) => {
    const link = made('a', '', title);
    link.href = href;
    return made('li', '', link);
  });
  const list = made('ul', '', ...links);
  list.setAttribute('aria-label', words.sources);
  return made('div', 'sources', made('p', 'note', words.sources), list);
}

const THUMB =
  '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 9h3v8H3ZM6 9l3.5-6c1.5 0 2.2 1 1.9 2.3L10.8 8H16c1 0 1.6.8 1.4 1.7l-1.3 5.9c-.2.8-.9 1.4-1.7 1.4H6"/></svg>';

/** Asks whether an answer helped, until it was counted once. @param judge answers whether it was counted. */
function verdictRow(
  given: Verdict | null,
  judge: (verdict: Verdict) => Promise<boolean>,
  words: DialogWords,
): HTMLElement {
  const row = made('div', 'verdict');
  const note = made('p', 'note', given ? words.thanks : words.helped);
  note.setAttribute('role', 'status');
  row.append(note);
  if (given) return row;
  const buttons = (['up', 'down'] as const).map((verdict) => {
    const button = made('button', `thumb ${verdict}`);
    button.type = 'button';
    button.setAttribute('aria-label', words[verdict]);
    button.innerHTML = THUMB;
    button.addEventListener('click', async () => {
      const set = (isDisabled: boolean) => {
        for (const one of buttons) one.disabled = isDisabled;
      };
      if (button.disabled) return;
      const hadFocus = row.contains(document.activeElement);
      set(true);
      if (await judge(verdict)) {
        for (const one of buttons) one.remove();
        note.textContent = words.thanks;
        // The button that had the focus is gone.
        note.tabIndex = -1;
        if (hadFocus && document.activeElement === document.body) note.focus();
      } else {
        set(false);
        note.textContent = words.notCounted;
        if (hadFocus && document.activeElement === document.body) button.focus();
      }
    });
    return button;
  });
  row.append(...buttons);
  return row;
}

/** An answer with where it stands, what it is, and the question whether it helped. */
export function answerItem(
  { text, kind, sources, source, by }: Answer,
  at: number,
  verdict: Verdict | null,
  judge: (verdict: Verdict) => Promise<boolean>,
  words: DialogWords,
): HTMLLIElement {
  const item = made('li', `answer ${kind}`, head(words.title, at));
  if (kind === 'warning') {
    item.append(made('div', 'grave', made('p', 'sign', words.warning), ...paragraphs(text)));
  } else item.append(...paragraphs(text));
  if (kind === 'figure') item.append(made('p', 'note', words.figure.replace('{time}', clockText(at))));
  if (by === 'model') item.append(made('p', 'note', words.model));
  if (sources.length > 0) item.append(sourceList(sources, words));
  const isJudged = source !== '' && kind !== 'small-talk' && kind !== 'warning';
  if (isJudged) item.append(verdictRow(verdict, judge, words));
  return item;
}
