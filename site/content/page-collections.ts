import { z } from 'astro/zod';
import {
  askedAs,
  contactAction,
  description,
  folder,
  labeledValue,
  oneFile,
  order,
  outsideLink,
  pagePath,
  sectionsAskedAs,
  text,
  titledText,
} from './fields.ts';

/** The texts of pages. */

const titled = z.strictObject({ title: text });
const tier = z.strictObject({ note: text });

const linkCard = z.union([
  z.strictObject({ id: text, title: text, text, link: outsideLink }),
  z.strictObject({ id: text, title: text, text, page: pagePath }),
]);

const returnRow = z.strictObject({
  id: text,
  title: text,
  price: text,
  holdings: text,
  income: text,
  total: text,
  multiple: text,
  arithmetic: text,
});
const lossRow = z.strictObject({
  id: text,
  title: text,
  holdings: text,
  price: text,
  total: text,
  result: text,
  multiple: text,
});
const table = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ caption: text, columns: z.array(text).length(6), rows: z.array(row), note: text });

export const pageCollections = {
  dashboard: folder('dashboard', titled),
  staking: oneFile(
    'staking.mdx',
    z.strictObject({
      lead: text,
      tiles: z.strictObject({
        stakers: text,
        staked: text,
        lock: text,
        rewards: text,
        lockValue: text,
        rewardsValue: text,
        rewardsNote: text,
      }),
      stake: titled,
      information: z.strictObject({
        title: text,
        lock: text,
        verification: text,
        verificationText: text,
        vault: text,
        program: text,
        token: text,
      }),
    }),
  ),
  tokenomics: oneFile(
    'tokenomics.mdx',
    z.strictObject({
      lead: text,
      labels: z.strictObject({
        totalSupply: text,
        marketSupply: text,
        vault: text,
        staked: text,
        streamflow: text,
        market: text,
        reduced: text,
        chart: text,
        chartNote: text,
      }),
      askedAs: sectionsAskedAs,
    }),
  ),
  myPosition: oneFile('my-position.mdx', z.strictObject({ lead: text })),
  rewards: oneFile(
    'rewards.mdx',
    z.strictObject({
      lead: text,
      counter: z.strictObject({ label: text, note: text }),
      lock: labeledValue,
      benefits: z.array(titledText),
    }),
  ),
  journey: oneFile(
    'journey/investor-journey.mdx',
    z.strictObject({ label: text, summary: text, askedAs: sectionsAskedAs }),
  ),
  journeyTables: oneFile(
    'journey/scenarios.yaml',
    z.strictObject({
      label: text,
      setup: z.array(labeledValue),
      returns: table(returnRow),
      losses: table(lossRow),
    }),
  ),
  tiers: oneFile('tiers.yaml', z.strictObject({ Duckling: tier, Banker: tier, Raven: tier })),
  virtualCard: oneFile(
    'virtual-card.mdx',
    z.strictObject({
      lead: text,
      features: z.array(titledText),
      requirements: z.strictObject({ title: text, note: text }),
      funding: z.strictObject({ title: text, warning: text, fee: text, closed: text, test: text }),
      sandbox: z.strictObject({ badge: text, text }),
      limits: z.strictObject({ title: text, unknown: text, newCard: text, link: text }),
      usage: z.strictObject({ empty: text }),
    }),
  ),
  cardSteps: oneFile(
    'card-steps.yaml',
    z.strictObject({
      title: text,
      steps: z.array(z.strictObject({ id: text, title: text, text })),
      next: z.strictObject({ title: text, steps: z.array(text), note: text }),
    }),
  ),
  faqCategories: oneFile(
    'faq/categories.yaml',
    z.record(z.string().regex(/^[a-z0-9-]+$/), z.strictObject({ title: text, isOpen: z.boolean() })),
  ),
  faq: folder('faq', z.strictObject({ question: text, order, askedAs })),
  teamPage: oneFile(
    'meet-the-team.mdx',
    z.strictObject({
      lead: text,
      philosophy: z.strictObject({ title: text, items: z.array(titledText) }),
      connect: z.strictObject({ title: text, items: z.array(contactAction) }),
    }),
  ),
  team: folder(
    'team',
    z.strictObject({
      role: text,
      /** Absent if only the role is published. */
      name: text.optional(),
      department: text,
      order,
      contact: contactAction,
    }),
  ),
  linksPage: oneFile(
    'links.mdx',
    z.strictObject({
      lead: text,
      cards: z.array(linkCard),
      addresses: z.strictObject({
        title: text,
        items: z.array(
          z.strictObject({
            id: z.enum(['vault', 'stake-program', 'token']),
            title: text,
            stated: text,
            /** Label of the live figure, if there is one. */
            live: text.optional(),
          }),
        ),
        unset: text,
        failed: text,
        retry: text,
      }),
      return: text,
      leaving: text,
    }),
  ),
  contact: oneFile(
    'contact.yaml',
    z.strictObject({
      lead: text,
      badges: z.array(labeledValue),
      channels: z.array(
        z.strictObject({
          id: text,
          title: text,
          text,
          badge: text.optional(),
          action: contactAction,
          response: text,
        }),
      ),
      quickAccess: z.strictObject({ title: text, items: z.array(contactAction) }),
      responseTimes: z.strictObject({ title: text, items: z.array(labeledValue), note: text }),
      coverage: z.strictObject({ title: text, items: z.array(text), note: text }),
      safety: text,
      duckling: text,
      form: z.strictObject({
        title: text,
        hint: text,
        privacy: text,
        needsScript: text,
      }),
    }),
  ),
  legal: folder(
    'legal',
    z.strictObject({
      title: text,
      description,
      order,
      updated: text,
      summary: text,
      askedAs: sectionsAskedAs,
    }),
  ),
};
