import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { FACTS } from '../data/model/facts/facts.ts';
import { PORTAL_LIMITS, SERVICE_TIMES } from '../data/model/portal-terms.ts';
import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../data/model/staking-terms.ts';
import { MARKET_SUPPLY_BD, STREAMFLOW_ALLOCATION_BD, TOTAL_SUPPLY_BD } from '../data/model/supply.ts';
import { BADGE_TERMS, CARD_TIERS, MAX_CARDS, TIER_TERMS, TOP_UP_FEE_PERCENT } from '../data/model/tiers.ts';

const STATING_MODULES =
  /^data\/model\/(?:tiers|staking-terms|supply|stated-figures|portal-terms|loan-terms|investor-journey)\.ts$/;

/** Tests and benchmarks are not checked. They repeat figures on purpose, so that they fail if a rule changes unnoticed. */
const CHECKED_FILES = [
  '{api,content,data,indexer,scripts,site}/**/*.{ts,tsx,astro,mdx,yaml}',
  '{README,SECURITY}.md',
  'docs/**/*.md',
];

const ALLOWED: readonly (readonly [file: RegExp, why: string])[] = [
  [/^indexer\/verify\//, 'checks the portal independently, with its own figures and arithmetic'],
  [/^content\/duckling\/asked\//, 'questions as visitors ask them; the assistant never shows them'],
  [
    /^data\/model\/demo-wallets\.ts$/,
    'loads on pages without React, so it cannot import the tiers; its test compares its amounts with them',
  ],
];

/** Questions as visitors ask them, which may contain a figure. The assistant never shows them. */
const ASKED_AS = /^askedAs:\n(?: .*\n)+/m;

const escapeRegExp = (text: string) => text.replaceAll(/[.$+/]/g, '\\$&');

/** The ways to write an amount: `1,500,000`, `1_500_000`, `1.5M`, `1.5 M`, `1.5 million`. */
function amountForms(bd: bigint): string[] {
  const grouped = bd.toLocaleString('en-US');
  const millions = escapeRegExp(String(Number(bd) / 1_000_000));
  // Round amounts, such as one billion or five million, may mean something else in code.
  const inCode = bd % 5_000_000n === 0n ? [] : [grouped.replaceAll(',', '_')];
  return [grouped, ...inCode, `${millions} ?M\\b`, `${millions} million`];
}

const { verificationSeconds, ...times } = SERVICE_TIMES;
/** Promised times, such as `24 hours` or `24-48 hours`. "The last 24 hours" is a period, not a promise. */
const HOURS = Object.entries(times)
  .filter(([name]) => name.endsWith('Hours'))
  .map(([, hours]) => `(?<!last )${[hours].flat().join('(?:-|–| to )')}[ -]?hours?\\b`);
const tier = `['"]?(?:None|${CARD_TIERS.join('|')})['"]?`;
/** Matches code that repeats the list or the order of the tiers. Such code would miss a tier that is added later. */
const TIER_RANKS = [`${tier} ?(?::|,|then) ?\\d\\b`, `${tier},\\s*['"](?:None|${CARD_TIERS.join('|')})['"]`];
const AMOUNTS = [
  ...[...TIER_TERMS, ...BADGE_TERMS].map(({ minimumStakeBd }) => minimumStakeBd),
  MARKET_SUPPLY_BD,
  TOTAL_SUPPLY_BD,
  STREAMFLOW_ALLOCATION_BD,
];
const FIGURE_PATTERNS = [
  ...AMOUNTS.flatMap(amountForms),
  escapeRegExp(STATED_YIELD_PERCENT),
  escapeRegExp(String(Number(STATED_YIELD_PERCENT) / 100)),
  `${STATED_YIELD_PERCENT.replace('.', '')}n?\\b`,
  `${LOCK_DAYS}[- ]days?\\b`,
  `× ?${LOCK_DAYS}\\b`,
  `${MAX_CARDS} (?:virtual )?cards`,
  `${escapeRegExp(TOP_UP_FEE_PERCENT)} ?%`,
  `within ${FACTS.loanConfirmation}`,
  `${verificationSeconds}(?: ?s|[ -]seconds?)\\b`,
  ...HOURS,
  ...TIER_RANKS,
  `${PORTAL_LIMITS.chatQuestionLength} characters`,
  ...[
    FACTS.uploadLimit,
    FACTS.adminIdle,
    FACTS.adminSessionLimit,
    FACTS.documentRetention,
    FACTS.signInExpiry,
    FACTS.loanYield,
    FACTS.loanMinimum,
    FACTS.loanLargestOption,
    FACTS.loanCap,
    FACTS.journeyIncome,
    FACTS.loanTerm,
    FACTS.ducklingMonthly,
    FACTS.bankerMonthly,
    FACTS.ravenDaily,
    FACTS.ravenMonthly,
  ].map(escapeRegExp),
];
const FIGURES = new RegExp(`(?<![\\w.,])(?:${FIGURE_PATTERNS.join('|')})`, 'g');

it('thresholds, yields, locks and promises are written only in the modules that state them', async () => {
  const typed: string[] = [];
  for await (const file of glob(CHECKED_FILES)) {
    if (/\.test\.tsx?$|\/testing\//.test(file) || STATING_MODULES.test(file)) continue;
    if (ALLOWED.some(([allowed]) => allowed.test(file))) continue;
    const text = (await readFile(file, 'utf8')).replace(ASKED_AS, '');
    for (const { 0: figure, index } of text.matchAll(FIGURES)) {
      typed.push(`${file}:${text.slice(0, index).split('\n').length} ${figure}`);
    }
  }
  expect(typed).toEqual([]);
});
