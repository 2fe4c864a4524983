import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Passage } from '../../../data/model/search/passage-index.ts';
import type { Addition } from '../../../data/store/chat-port.ts';
import {
  type ChatBook,
  ducklingTexts,
  loadBook,
  type OpenedBook,
  readBook,
  synonymLines,
} from '../chat-book.ts';
import { REQUESTED_FIGURES, type RequestedFigure } from '../question-kind.ts';
import { withAdditions } from '../team-additions.ts';

const readYaml = (name: string): unknown => parse(readFileSync(`content/duckling/${name}.yaml`, 'utf8'));

const passage = (href: string, title: string, text: string, askedAs: string[] = []): Passage => ({
  href,
  title,
  page: 'Questions, answered',
  text,
  askedAs,
  kind: 'section',
});

const FIGURE_PHRASINGS: Readonly<Partial<Record<RequestedFigure, string[]>>> = {
  price: ['price of bd, current price'],
  staked: ['total staked, total staked now'],
  stakers: ['how many stakers, number of stakers'],
  vault: ['vault balance'],
  'market-cap': ['market cap'],
};

export const SAMPLE_PASSAGES: readonly Passage[] = [
  passage(
    '/faq#lock',
    'How long is my stake locked?',
    '180 days from the moment you stake. There is no early withdrawal.',
    ['lock period, how long are my coins stuck'],
  ),
  passage('/faq#yield', 'What does staking pay?', 'The stated annual yield is 88.7%. It is not guaranteed.', [
    'apy, interest rate, return',
  ]),
  passage('/faq#fee', 'What does a top-up cost?', 'The fee of a top-up is 4.5% of what you send.', [
    'top up fees',
  ]),
  passage('/faq#buy', 'Where can I buy BD?', 'On the market that the links page names.', [
    'which exchange, purchase',
  ]),
  passage('/faq#status', 'Where is my application?', 'The status page shows what happened, and when.', [
    'what happened to my card request, what happened to my message, where is my verification, status of my loan application',
  ]),
  passage('/faq#vault', 'What is the vault?', 'A token account of the project, which anybody can read.'),
  passage('/faq#loss', 'Can I lose money?', 'Yes, all of it. The price of BD can fall to zero.', [
    'is my money safe',
  ]),
  ...(['duckling', 'banker', 'raven'] as const).map((tier, index) => ({
    ...passage(
      '/faq#tiers',
      'What are the tiers?',
      `The ${tier} card has a monthly limit of $${index + 1}.`,
      [`${tier} monthly limit`],
    ),
    kind: 'fact' as const,
  })),
  ...REQUESTED_FIGURES.map((figure) => ({
    ...passage(`figure:${figure}`, '', '', FIGURE_PHRASINGS[figure] ?? []),
    kind: 'figure' as const,
    figure,
  })),
  { ...passage('own:stake', '', '', ['when can I unstake, what is my tier']), kind: 'own-stake' },
];

/** A book with a few passages, and the portal's real messages and synonyms. */
export function sampleBook(
  passages: readonly Passage[] = SAMPLE_PASSAGES,
  additions: readonly Addition[] = [],
): OpenedBook {
  const synonyms = synonymLines.parse(readYaml('synonyms'));
  const book: ChatBook = {
    passages: passages.map((each) => ({ ...each, askedAs: [...each.askedAs] })),
    synonyms,
    texts: ducklingTexts.parse(readYaml('answers')),
    // This product name resembles a word of the passages, but the spelling corrector must not change it.
    names: { exchanges: 'locke' },
    commonWords: 'weather your what will',
    words: '',
  };
  return loadBook(withAdditions(readBook(JSON.stringify(book)), additions));
}
