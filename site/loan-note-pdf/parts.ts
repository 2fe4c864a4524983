/** The number of pages that the specification requires: the cover, the contents, and one page for each part. */
export const PAGE_COUNT = 12;
const FIRST_PAGE = 3;

/** A part of the document: one page, with one or more chapters. */
export interface PartSpec {
  /** Default: the title of the part's first chapter. */
  readonly title?: string | undefined;
  readonly chapters: readonly string[];
}

export interface Part<Chapter> {
  /** Starts at 1. */
  readonly number: number;
  readonly title: string;
  readonly chapters: readonly Chapter[];
  readonly page: number;
}

const REMEDY = 'Change content/loan-note, or the parts in content/loan-note/document.yaml.';

/** @throws {Error} unless each chapter exists and is in exactly one part, and the parts fill the pages exactly */
export function partsOf<Chapter extends { readonly id: string; readonly title: string }>(
  specs: readonly PartSpec[],
  chapters: readonly Chapter[],
): readonly Part<Chapter>[] {
  const listedIds = specs.flatMap((spec) => spec.chapters);
  for (const id of new Set([...listedIds, ...chapters.map((chapter) => chapter.id)])) {
    const isChapter = chapters.some((chapter) => chapter.id === id);
    if (!isChapter) throw new Error(`The chapter "${id}" of the loan note's PDF is missing. ${REMEDY}`);
    if (listedIds.filter((one) => one === id).length !== 1) {
      throw new Error(`The chapter "${id}" is not in exactly one part of the loan note's PDF. ${REMEDY}`);
    }
  }
  if (FIRST_PAGE + specs.length !== PAGE_COUNT + 1) {
    throw new Error(
      `The loan note's PDF has ${PAGE_COUNT} pages, so it cannot have ${specs.length} parts. ${REMEDY}`,
    );
  }
  return specs.map((spec, index) => {
    const own = spec.chapters.flatMap((id) => chapters.find((chapter) => chapter.id === id) ?? []);
    const title = spec.title ?? own[0]?.title ?? '';
    return { number: index + 1, title, chapters: own, page: FIRST_PAGE + index };
  });
}

export function tooLongError({ title, page }: Pick<Part<unknown>, 'title' | 'page'>): Error {
  return new Error(
    `The loan note's PDF has ${PAGE_COUNT} pages, and "${title}" does not fit on page ${page}. ${REMEDY}`,
  );
}
