import { fieldsOf, getOrderedEntries } from '../content/entries.ts';
import { facts } from '../content/facts.ts';
import { listedPages, recordedChanges } from '../content/pages.ts';
import { loanNoteFileName, loanNotePdf } from './loan-note-pdf.ts';
import { PAGE_COUNT } from './parts.ts';

const PAGE = '/convertible-loan';

async function build(origin: URL) {
  const [terms, document, useOfFunds, entries, { name }, pages, changes] = await Promise.all([
    fieldsOf('loanTerms'),
    fieldsOf('loanDocument'),
    fieldsOf('useOfFunds'),
    getOrderedEntries('loanNote'),
    fieldsOf('site'),
    listedPages(),
    recordedChanges(),
  ]);
  const page = pages.find(({ path }) => path === PAGE);
  if (!page?.changedOn) {
    throw new Error(
      `content/changes.yaml has no entry for ${PAGE}. The PDF takes its date from the page's last entry.`,
    );
  }
  const chapters = entries
    .filter(({ data }) => data.places.includes('pdf'))
    .map(({ id, data: { title, summary, table }, body = '' }) => ({ id, title, summary, table, body }));
  const bytes = await loanNotePdf({
    brand: name,
    title: page.title,
    version: changes.filter(({ pages }) => pages.includes(PAGE)).length,
    changedOn: page.changedOn,
    chapters,
    ...terms,
    ...document,
    useOfFunds,
    facts,
    origin,
  });
  return { fileName: loanNoteFileName(page.changedOn), bytes, pages: PAGE_COUNT };
}

let pendingDocument: ReturnType<typeof build> | null = null;

/**
 * Generates the loan note's PDF, once per build.
 * @param site Astro's `site` setting
 * @throws {Error} if `site` is not set, a text is missing or does not fit, or the date of the last change is not recorded
 */
export function buildLoanNoteOnce(site: URL | undefined): ReturnType<typeof build> {
  if (!site) throw new Error('astro.config.mjs does not set `site`, which the links in the PDF need.');
  pendingDocument ??= build(site);
  return pendingDocument;
}
