/** Pages that stay text, with the budgets and limits of text. Every other has islands, or the place for one. */
export const STAYS_TEXT: ReadonlySet<string> = new Set([
  '/faq',
  '/privacy-policy',
  '/terms-of-service',
  '/disclaimer',
  '/links',
  '/meet-the-team',
  '/investor-journey',
  '/404',
  '/offline',
]);
