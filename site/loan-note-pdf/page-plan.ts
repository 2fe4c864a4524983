/** The number of pages, which the specification fixes. */
export const PAGE_COUNT = 12;

/**
 * Chapters that start a page, with the page number. The chapters between two of these continue on the pages of the first,
 * so that no page is blank. The cover is page 1, and the table of contents is on page 2.
 */
const PAGE_STARTS: ReadonlyMap<string, number> = new Map([
  ['executive-summary', 2],
  ['company-overview', 3],
  ['use-of-funds', 6],
  ['after-you-apply', 10],
]);

/** Chapters that share pages. */
interface PageSet<Chapter> {
  readonly chapters: readonly Chapter[];
  /** The number of the first page. The cover is 1. */
  readonly firstPage: number;
  readonly pages: number;
}

/** Groups the chapters by the pages that they share. @throws {Error} if a chapter of `PAGE_STARTS` is missing */
export function pageSets<Chapter extends { readonly id: string }>(
  chapters: readonly Chapter[],
): readonly PageSet<Chapter>[] {
  const starts = [...PAGE_STARTS].map(([id, firstPage]) => {
    const index = chapters.findIndex((chapter) => chapter.id === id);
    if (index < 0) throw new Error(`The chapter "${id}" of the loan note's PDF is missing. ${REMEDY}`);
    return { index, firstPage };
  });
  if (
    starts[0]?.index !== 0 ||
    starts.some(({ index }, position) => index <= (starts[position - 1]?.index ?? -1))
  ) {
    throw new Error(`The chapters of the loan note are not in the order of its PDF's pages. ${REMEDY}`);
  }
  return starts.map(({ index, firstPage }, position) => {
    const next = starts[position + 1];
    return {
      chapters: chapters.slice(index, next?.index),
      firstPage,
      pages: (next?.firstPage ?? PAGE_COUNT + 1) - firstPage,
    };
  });
}

const REMEDY = 'Change content/loan-note, or the plan in site/loan-note-pdf/page-plan.ts.';

/** The error for chapters that need more or fewer pages than planned. */
export function pageCountError({ chapters, firstPage, pages }: PageSet<{ readonly title: string }>): Error {
  const names = [chapters[0]?.title, chapters.at(-1)?.title].map((title) => `"${title}"`);
  const which = chapters.length === 1 ? names[0] : names.join(' to ');
  const where = pages === 1 ? `page ${firstPage}` : `pages ${firstPage} to ${firstPage + pages - 1}`;
  return new Error(
    `The loan note's PDF has ${PAGE_COUNT} pages, and ${which} no longer fill ${where}. ${REMEDY}`,
  );
}
