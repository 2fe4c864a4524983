import { getCollection, getEntry } from 'astro:content';
import { facts } from '../content/facts.ts';
import { listedPages } from '../found/listed-pages.ts';
import { siteWords } from '../shell/words.ts';
import { loanNoteFileName, loanNotePdf } from './loan-note-pdf.ts';
import { PAGE_COUNT } from './page-plan.ts';

/** The loan note as a file, and what its page says of it. */
export interface BuiltDocument {
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly pages: number;
}

const PAGE = '/convertible-loan';

async function build(origin: URL): Promise<BuiltDocument> {
  const [terms, useOfFunds, entries, { name }, pages] = await Promise.all([
    getEntry('loanTerms', 'loan-note/terms'),
    getEntry('useOfFunds', 'loan-note/use-of-funds'),
    getCollection('loanNote', ({ data }) => data.places.includes('pdf')),
    siteWords(),
    listedPages(),
  ]);
  if (!terms || !useOfFunds) {
    throw new Error(
      'content/loan-note has no terms.yaml or no use-of-funds.yaml, or one that is not valid YAML.',
    );
  }
  const page = pages.find(({ path }) => path === PAGE);
  if (!page?.changedOn) {
    throw new Error(
      `content/changes.yaml records no change of ${PAGE}; the date of its PDF is that of the last one.`,
    );
  }
  const chapters = entries
    .toSorted((a, b) => a.data.order - b.data.order)
    .map(({ id, data: { title, summary, data }, body = '' }) => ({ id, title, summary, data, body }));
  const bytes = await loanNotePdf({
    house: name,
    title: page.title,
    changedOn: page.changedOn,
    chapters,
    ...terms.data,
    useOfFunds: useOfFunds.data,
    facts,
    origin,
  });
  return { fileName: loanNoteFileName(page.changedOn), bytes, pages: PAGE_COUNT };
}

let built: Promise<BuiltDocument> | null = null;

/**
 * The loan note's PDF, made once for a build. `site` is Astro's.
 * @throws {Error} where the words are not there, do not fit, or the day of their last change is not recorded.
 */
export function builtLoanNote(site: URL | undefined): Promise<BuiltDocument> {
  if (!site) throw new Error('astro.config.mjs sets no site: links in a document need an origin.');
  built ??= build(site);
  return built;
}
