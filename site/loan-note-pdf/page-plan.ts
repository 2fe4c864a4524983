/** How many pages the document has, as the loan note is known. */
export const PAGE_COUNT = 12;

/**
 * The chapters that begin a page, and on which. What follows one, up to the next, shares the pages between them: no page
 * is blank, and no chapter's head is at the foot of one. The cover comes before them, the contents share the first's.
 */
export const PAGE_STARTS: ReadonlyMap<string, number> = new Map([
  ['executive-summary', 2],
  ['company-overview', 3],
  ['use-of-funds', 6],
  ['after-you-apply', 10],
]);

/** Chapters that share pages. */
export interface PageSet<Chapter> {
  readonly chapters: readonly Chapter[];
  /** Of the first of its pages; the cover is 1. */
  readonly firstPage: number;
  readonly pages: number;
}

/** Chapters in their order, by the pages that they share. @throws {Error} where the plan names chapters that are not there. */
export function pageSets<Chapter extends { readonly id: string }>(
  chapters: readonly Chapter[],
): readonly PageSet<Chapter>[] {
  const starts = [...PAGE_STARTS].map(([id, firstPage]) => {
    const index = chapters.findIndex((chapter) => chapter.id === id);
    if (index < 0)
      throw new Error(
        `The loan note's PDF begins page ${firstPage} with "${id}", which is not there. ${MEND}`,
      );
    return { index, firstPage };
  });
  if (
    starts[0]?.index !== 0 ||
    starts.some(({ index }, place) => index <= (starts[place - 1]?.index ?? -1))
  ) {
    throw new Error(`The chapters of the loan note do not come in the order of its PDF's pages. ${MEND}`);
  }
  return starts.map(({ index, firstPage }, place) => {
    const next = starts[place + 1];
    return {
      chapters: chapters.slice(index, next?.index),
      firstPage,
      pages: (next?.firstPage ?? PAGE_COUNT + 1) - firstPage,
    };
  });
}

const MEND = 'Mend content/loan-note, or the plan in site/loan-note-pdf/page-plan.ts.';

/** The chapters of a set need other pages than the plan gives them. */
export class DoesNotFitError extends Error {
  override readonly name = 'DoesNotFitError';
  constructor({ chapters, firstPage, pages }: PageSet<{ readonly title: string }>) {
    const names = [chapters[0]?.title, chapters.at(-1)?.title].map((title) => `"${title}"`);
    const which = chapters.length === 1 ? names[0] : names.join(' to ');
    const where = pages === 1 ? `page ${firstPage}` : `pages ${firstPage} to ${firstPage + pages - 1}`;
    super(
      `The loan note's PDF has ${PAGE_COUNT} pages, and ${which} no longer fill ${where} of them. ${MEND}`,
    );
  }
}
