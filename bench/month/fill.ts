import { blankPng } from '../../api/documents/testing/sample-documents.ts';
import { createTeam, submitLoan, type Team } from '../../e2e/admin-team.ts';
import type { Portal } from '../../e2e/portal.ts';

export const MONTH_COUNTS = {
  applications: 300,
  messages: 200,
  verifications: 80,
  loans: 61,
  bounces: 45,
} as const;
export const PASSWORD = 'a heron stood quite still';

const FIRST_NAMES = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Zoë',
  'Łukasz',
  'Katherine',
  'Dennis',
];
const LAST_NAMES = [
  'Lovelace',
  'Hopper',
  'Turing',
  'Dijkstra',
  'Liskov',
  'Knuth',
  'Müller',
  'Nowak',
  'Johnson',
];
const CATEGORIES = ['virtual-card', 'staking', 'technical', 'account', 'general'];
const CONCURRENCY = 8;

const nameOf = (number: number): string =>
  `${FIRST_NAMES[number % FIRST_NAMES.length]} ${LAST_NAMES[Math.floor(number / FIRST_NAMES.length) % LAST_NAMES.length]}`;

async function repeat(
  count: number,
  work: (number: number) => Promise<unknown>,
  concurrency = CONCURRENCY,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** The domain of mailboxes that no longer exist: the mail server refuses them permanently. */
const GONE_DOMAIN = 'gone.example.com';
export const isGoneMailbox = (address: string): boolean => address.endsWith(`@${GONE_DOMAIN}`);

/** Submits a month's records as visitors do. About one applicant in seven has a mailbox that no longer exists. */
export async function fillMonth(portal: Portal, wallet: string): Promise<Team> {
  const team = await createTeam(portal, PASSWORD, {});
  await repeat(MONTH_COUNTS.applications, (number) =>
    team.submit('/api/card/submit-application', {
      name: nameOf(number),
      email: `holder-${number}@${number < MONTH_COUNTS.bounces ? GONE_DOMAIN : 'example.com'}`,
      wallet,
      bd_amount: 6_200_000,
      tier: 'Banker',
    }),
  );
  await repeat(MONTH_COUNTS.messages, (number) =>
    team.submit('/api/contact/submit', {
      name: nameOf(number + 3),
      email: `writer-${number}@example.com`,
      subject: `Question ${number}`,
      category: CATEGORIES[number % CATEGORIES.length],
      message: number === 77 ? 'My peregrine falcon ate the receipt.' : 'How long is the lock?\nThanks.',
    }),
  );
  await repeat(MONTH_COUNTS.verifications, (number) =>
    team.submit('/api/whitelist/request-verification', {
      walletAddress: wallet,
      userEmail: `sender-${number}@example.com`,
      claimedStakedAmount: '2,000,000',
      requestReason: 'It is staked in another pool.',
      currentDetection: 'Nothing staked',
      requestedAt: new Date().toISOString(),
    }),
  );
  const picture = blankPng(400, 300);
  // The portal accepts only a few uploads from one network at the same time.
  await repeat(
    MONTH_COUNTS.loans,
    (number) => submitLoan(team, `${nameOf(number)} Investor`, `investor-${number}@example.com`, picture),
    1,
  );
  return team;
}
