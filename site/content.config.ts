import { cardCollections } from './content/cards.ts';
import { changeCollections } from './content/changes.ts';
import { houseCollections } from './content/house.ts';
import { loanNoteCollections } from './content/loan-note.ts';
import { peopleCollections } from './content/people.ts';
import { readingCollections } from './content/reading.ts';
import { shellCollections } from './content/shell.ts';
import { tokenCollections } from './content/token.ts';

/** The words of the site, checked when it is built: a wrong or unknown field fails the build with its file and name. */
export const collections = {
  ...houseCollections,
  ...tokenCollections,
  ...cardCollections,
  ...peopleCollections,
  ...readingCollections,
  ...loanNoteCollections,
  ...shellCollections,
  ...changeCollections,
};
