/** Rows per page that a visitor can choose; the first is the default. The API accepts any size up to the last. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];
