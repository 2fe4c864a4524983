import { LEGAL_LINKS } from '../navigation.ts';

const ADMIN_PAGES = /^\/(?:admin\/|bot-diagnostics$|new-bot-diagnostics$)/;

/**
 * Whether a page opens only after the day's terms are accepted. The legal pages, which the terms link to, can be read
 * before; staff are not asked.
 */
export function asksForTerms(path: string): boolean {
  return !ADMIN_PAGES.test(path) && !LEGAL_LINKS.some(({ href }) => href === path);
}
