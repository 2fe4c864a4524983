/** The choices for the number of rows per page. The first is the default. The API accepts any number up to the last. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];
