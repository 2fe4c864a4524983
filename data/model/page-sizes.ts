/**
 * The choices for the number of rows on a page. The first is the default, except in the admin area. List calls accept any whole
 * number up to the last.
 */
export const PAGE_SIZES = [10, 25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];
