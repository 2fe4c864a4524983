import { CARD_FACTS } from './card-facts.ts';
import { JOURNEY_FACTS } from './journey-facts.ts';
import { LOAN_FACTS } from './loan-facts.ts';
import { PORTAL_FACTS } from './portal-facts.ts';
import { TOKEN_FACTS } from './token-facts.ts';

/**
 * Every figure that the site's words name, as finished text with its unit. Words refer to a fact by its name and never
 * repeat it, so that a rule and what is said about it cannot drift apart.
 */
export const FACTS = Object.freeze({
  ...TOKEN_FACTS,
  ...CARD_FACTS,
  ...PORTAL_FACTS,
  ...LOAN_FACTS,
  ...JOURNEY_FACTS,
});

export type FactName = keyof typeof FACTS;
