import { loanNoteCollections } from './content/loan-note-collections.ts';
import { pageCollections } from './content/page-collections.ts';
import { siteCollections } from './content/site-collections.ts';

/** The content of the site. An invalid or unknown field fails the build with an error that names its file and line. */
export const collections = { ...siteCollections, ...pageCollections, ...loanNoteCollections };
