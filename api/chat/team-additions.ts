import type { Passage } from '../../data/model/search/passage-index.ts';
import type { Addition, ChatStore } from '../../data/store/chat-port.ts';
import { type ChatBook, loadBook, type OpenedBook, readBuiltBook } from './chat-book.ts';
import type { ChatAnswer, LocalAnswer } from './compose-answer.ts';

/*
 * The team's additions to the assistant's book: other phrasings for a passage, and the team's own answers. They take effect
 * without a build and do not change the pages, so the team's own answers are not on any page. In the book, the address of
 * such an answer is `team:` followed by its id.
 */

const TEAM_PAGE_TITLE = 'Answered by the team';
/**
 * The search index splits a line of phrasings at these separators. A phrasing by the team is one question, so separators are
 * removed from it.
 */
const SEPARATORS = /, | or /g;

/** The address that the book gives to an answer by the team. It is not a link. */
const teamHref = (id: string) => `team:${id}`;

/**
 * The passage that a phrasing was added for. If the section no longer has a passage with this title, the section's first
 * passage is used.
 */
function passageOf<P extends Pick<Passage, 'href' | 'title'>>(
  { href, title }: { readonly href: string; readonly title: string },
  passages: readonly P[],
): P | undefined {
  const sectionPassages = passages.filter((passage) => passage.href === href);
  return sectionPassages.find((passage) => passage.title === title) ?? sectionPassages[0];
}

/** Adds the team's additions to a book, except phrasings for a passage that is not in the book. */
export function withAdditions(book: ChatBook, additions: readonly Addition[]): ChatBook {
  if (additions.length === 0) return book;
  const teamPassages = additions.flatMap((addition) =>
    addition.kind === 'answer'
      ? [
          {
            href: teamHref(addition.id),
            title: addition.question,
            page: TEAM_PAGE_TITLE,
            text: addition.answer,
            askedAs: [],
            kind: 'section' as const,
          },
        ]
      : [],
  );
  const passages = [...book.passages, ...teamPassages];
  const phrasings = new Map<Passage, string[]>();
  for (const addition of additions) {
    const passage = addition.kind === 'phrasing' ? passageOf(addition, passages) : undefined;
    if (!passage) continue;
    const phrasing = addition.question.replaceAll(SEPARATORS, ' ');
    phrasings.set(passage, [...(phrasings.get(passage) ?? []), phrasing]);
  }
  const mergedPassages = passages.map((passage) => ({
    ...passage,
    askedAs: [...passage.askedAs, ...(phrasings.get(passage) ?? [])],
  }));
  return { ...book, passages: mergedPassages };
}

export interface ExtendedBook extends OpenedBook {
  /** When each answer by the team was written (Unix ms). The key is the answer's address in the book. */
  readonly teamAnswers: ReadonlyMap<string, number>;
}

/**
 * An answer as it is sent to the visitor. An answer by the team has no page, so it names the team instead of a source, and
 * other answers do not link to it.
 */
export function creditTeam(
  { passages, ...answer }: LocalAnswer,
  { teamAnswers }: Pick<ExtendedBook, 'teamAnswers'>,
): ChatAnswer {
  const writtenAt = teamAnswers.get(answer.source);
  if (writtenAt !== undefined) {
    return { ...answer, sources: [], by: 'team', writtenAt: new Date(writtenAt).toISOString() };
  }
  return { ...answer, sources: answer.sources.filter(({ href }) => !teamAnswers.has(href)), by: 'portal' };
}

export type BookOpener = (additions?: readonly Addition[]) => Promise<OpenedBook>;

export function builtBookOpener(folder: string): BookOpener {
  return async (additions = []) => {
    const { book, classifier } = await readBuiltBook(folder);
    return loadBook(withAdditions(book, additions), classifier);
  };
}

/**
 * Returns a function that opens the book with the team's additions on its first call. Later calls return the same book until
 * the additions change. While the store is unavailable, they return the book that is open. If none is open, the book is
 * opened without additions.
 */
export function extendedBookOpener(
  open: BookOpener,
  chat: Pick<ChatStore, 'additions' | 'additionsVersion'>,
): () => Promise<ExtendedBook> {
  const NO_VERSION = -1;
  let openedBook: { readonly version: number; readonly book: Promise<ExtendedBook> } | undefined;
  const reopen = async (version: number) => {
    const additions = version === NO_VERSION ? [] : await chat.additions();
    const answers = additions.filter(({ kind }) => kind === 'answer');
    const teamAnswers = new Map(answers.map(({ id, addedAt }) => [teamHref(id), addedAt]));
    return { ...(await open(additions)), teamAnswers };
  };
  return async () => {
    const version = await chat.additionsVersion().catch(() => openedBook?.version ?? NO_VERSION);
    if (openedBook?.version !== version) {
      const book = reopen(version);
      openedBook = { version, book };
      book.catch(() => {
        // The next question retries.
        if (openedBook?.book === book) openedBook = undefined;
      });
    }
    return openedBook.book;
  };
}
