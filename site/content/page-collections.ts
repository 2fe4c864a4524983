import { z } from 'astro/zod';
import {
  askedAs,
  contactAction,
  description,
  fileCollection,
  folderCollection,
  labeledValue,
  order,
  outsideLinkId,
  pagePath,
  sectionsAskedAs,
  text,
  texts,
  titledText,
} from './fields.ts';

const titled = z.strictObject(texts('title'));
const tier = z.strictObject(texts('note'));

const linkCard = z.union([
  z.strictObject({ id: text, title: text, text, link: outsideLinkId }),
  z.strictObject({ id: text, title: text, text, page: pagePath }),
]);

const returnRow = z.strictObject(
  texts('id', 'title', 'price', 'holdings', 'income', 'total', 'multiple', 'arithmetic'),
);
const lossRow = z.strictObject(texts('id', 'title', 'holdings', 'price', 'total', 'result', 'multiple'));
const table = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ caption: text, columns: z.array(text).length(6), rows: z.array(row), note: text });

export const pageCollections = {
  dashboardIntroduction: fileCollection(
    'dashboard/introduction.mdx',
    z.strictObject(texts('title', 'provenance')),
  ),
  cardServices: fileCollection('dashboard/card-services.mdx', titled),
  staking: fileCollection(
    'staking.mdx',
    z.strictObject({
      lead: text,
      tiles: z.strictObject(
        texts('stakers', 'staked', 'lock', 'rewards', 'lockValue', 'rewardsValue', 'rewardsNote'),
      ),
      stake: titled,
      calculator: z.strictObject(texts('title', 'note')),
      information: z.strictObject(
        texts('title', 'lock', 'verification', 'verificationText', 'vault', 'program', 'token'),
      ),
      askedAs: sectionsAskedAs,
    }),
  ),
  tokenomics: fileCollection(
    'tokenomics.mdx',
    z.strictObject({
      lead: text,
      labels: z.strictObject({
        ...texts(
          'totalSupply',
          'marketSupply',
          'reducedSupply',
          'vault',
          'staked',
          'streamflow',
          'remainder',
        ),
        ...texts('chart', 'chartNote'),
      }),
      askedAs: sectionsAskedAs,
    }),
  ),
  developers: fileCollection(
    'developers.mdx',
    z.strictObject({
      ...texts('lead', 'othersLead', 'needsScript'),
      sections: z.strictObject(texts('others', 'client', 'embed', 'feeds')),
    }),
  ),
  myPosition: fileCollection('my-position.mdx', z.strictObject({ lead: text, askedAs: sectionsAskedAs })),
  rewards: fileCollection(
    'rewards.mdx',
    z.strictObject({
      lead: text,
      counter: z.strictObject(texts('label', 'note')),
      lock: labeledValue,
      benefits: z.array(titledText),
      askedAs: sectionsAskedAs,
    }),
  ),
  journey: fileCollection(
    'journey/investor-journey.mdx',
    z.strictObject({ label: text, summary: text, askedAs: sectionsAskedAs }),
  ),
  journeyTables: fileCollection(
    'journey/scenarios.yaml',
    z.strictObject({
      label: text,
      setup: z.array(labeledValue),
      returns: table(returnRow),
      losses: table(lossRow),
    }),
  ),
  tiers: fileCollection('tiers.yaml', z.strictObject({ Duckling: tier, Banker: tier, Raven: tier })),
  virtualCard: fileCollection(
    'virtual-card.mdx',
    z.strictObject({
      lead: text,
      features: z.array(titledText),
      requirements: z.strictObject(texts('title', 'note')),
      funding: z.strictObject(texts('title', 'warning', 'fee', 'automatic', 'manual', 'closed', 'test')),
      sandbox: z.strictObject(texts('badge', 'text')),
      limits: z.strictObject(texts('title', 'otherTiers', 'newCard', 'link')),
      usage: z.strictObject(texts('empty')),
      askedAs: sectionsAskedAs,
    }),
  ),
  afterApplication: fileCollection(
    'after-application.yaml',
    z.strictObject({ title: text, steps: z.array(text), note: text }),
  ),
  faqCategories: fileCollection(
    'faq/categories.yaml',
    z.record(z.string().regex(/^[a-z0-9-]+$/), z.strictObject({ title: text, isOpen: z.boolean() })),
  ),
  faq: folderCollection('faq', z.strictObject({ question: text, order, askedAs })),
  teamPage: fileCollection(
    'meet-the-team.mdx',
    z.strictObject({
      lead: text,
      philosophy: z.strictObject({ title: text, items: z.array(titledText) }),
      connect: z.strictObject({ title: text, items: z.array(contactAction) }),
    }),
  ),
  team: folderCollection(
    'team',
    z.strictObject({
      ...texts('role', 'department'),
      /** Absent if only the role is published. */
      name: text.optional(),
      order,
      contact: contactAction,
    }),
  ),
  linksPage: fileCollection(
    'links.mdx',
    z.strictObject({
      lead: text,
      askedAs: sectionsAskedAs,
      cards: z.array(linkCard),
      addresses: z.strictObject({
        title: text,
        items: z.array(
          z.strictObject({
            id: z.enum(['vault', 'stake-program', 'token']),
            ...texts('title', 'stated'),
            /** Label of the live figure, if there is one. */
            live: text.optional(),
          }),
        ),
        ...texts('demonstration', 'failed', 'retry'),
      }),
      ...texts('return', 'leaving'),
    }),
  ),
  contact: fileCollection(
    'contact.yaml',
    z.strictObject({
      lead: text,
      badges: z.array(labeledValue),
      channels: z.array(
        z.strictObject({
          ...texts('id', 'title', 'text', 'response'),
          badge: text.optional(),
          action: contactAction,
        }),
      ),
      quickAccess: z.strictObject({ title: text, items: z.array(contactAction) }),
      responseTimes: z.strictObject({ title: text, items: z.array(labeledValue), note: text }),
      coverage: z.strictObject({ title: text, items: z.array(text), note: text }),
      ...texts('safety', 'duckling'),
      form: z.strictObject(texts('title', 'hint', 'privacy', 'needsScript')),
    }),
  ),
  legal: folderCollection(
    'legal',
    z.strictObject({
      ...texts('title', 'updated', 'summary'),
      description,
      order,
      askedAs: sectionsAskedAs,
    }),
  ),
};
