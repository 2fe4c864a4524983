// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepAdminSession, readAdminSession } from '../admin/admin-session.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminDashboard from './AdminDashboard.tsx';
import './RecordDialog.tsx';
import {
  APPLICATION,
  loanRecord,
  PAGE,
  requestRecord,
  requestRow,
  STATS,
  sessionOf,
} from './testing/sample-records.ts';

const SESSION = 'GET /api/admin/session';
const STATS_CALL = 'GET /api/admin/dashboard/stats';
const REQUESTS = 'GET /api/admin/verification-requests';
const RECORD = 'GET /api/admin/record';
const DECIDE = 'POST /api/admin/verification-requests/decide';

let page: ServedPage;
const replaced = vi.fn();
const calls = (call: string) => page.asked.filter((asked) => asked.call === call);

interface Answers {
  readonly role?: 'viewer' | 'reviewer' | 'owner';
  readonly prepare?: (page: ServedPage) => void;
}

async function open(fragment: string, { role = 'reviewer', prepare = () => {} }: Answers = {}) {
  location.hash = fragment;
  // The page's address outlives the island of the test before.
  dispatchEvent(new PopStateEvent('popstate'));
  page = await openServedPage(<AdminDashboard />);
  page.answer(SESSION, sessionOf(role));
  page.answer(STATS_CALL, STATS);
  page.answer('GET /api/admin/applications', { applications: [APPLICATION], total: 1, ...PAGE });
  page.answer('GET /api/admin/contacts', { contacts: [], total: 0, ...PAGE });
  page.answer(REQUESTS, { requests: [requestRow(1), requestRow(2)], total: 2, ...PAGE });
  prepare(page);
  // It opened signed out, and was about to lead away.
  replaced.mockClear();
  await page.pass(0, () => keepAdminSession('token', { username: 'ada' }));
  await page.arrive();
  // A dialog that the address names is loaded first, and reads then.
  await page.arrive();
}

async function press(key: string): Promise<void> {
  await page.pass(0.1, () => {
    (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
  });
  await page.arrive();
  await page.arrive();
}

function opener(reference: string): HTMLButtonElement {
  const found = page.place.querySelector<HTMLButtonElement>(`[data-opens="${reference}"]`);
  if (!found) throw new Error(`No row opens ${reference}.`);
  return found;
}

beforeEach(() => {
  localStorage.clear();
  replaced.mockClear();
  vi.spyOn(location, 'replace').mockImplementation(replaced);
});
afterEach(async () => {
  await page.close();
  history.replaceState(null, '', '/');
  vi.restoreAllMocks();
});

describe('the admin dashboard', () => {
  it('leads who is not signed in to the login, and asks the server nothing', async () => {
    page = await openServedPage(<AdminDashboard />);
    expect(page.text()).toBe('Loading...');
    expect(replaced.mock.calls).toEqual([['/admin/login']]);
    expect(page.asked).toEqual([]);
  });

  it('leads to the login, and back to the list that was open, where the session does not hold any more', async () => {
    history.replaceState(null, '', '/admin/dashboard');
    const list = '#verification-requests?q=ada&sort=email';
    await open(list, {
      prepare: (opened) => opened.answer(SESSION, { success: false, error: 'Sign in.', code: 'x' }, 401),
    });
    expect(readAdminSession()).toBeNull();
    const way = encodeURIComponent(`/admin/dashboard${list}`);
    expect(replaced.mock.calls).toEqual([[`/admin/login#from=${way}`]]);
    expect(page.text()).toBe('Loading...');
  });

  it('ends the session by Logout, even where the server cannot be told, and leads back to no list', async () => {
    history.replaceState(null, '', '/admin/dashboard');
    await open('#verification-requests?q=ada');
    vi.spyOn(console, 'error').mockImplementation(() => {});
    page.losesNetwork('POST /api/admin/logout');
    const button = [...page.place.querySelectorAll('button')].find((one) => one.textContent === 'Logout');
    await page.pass(0.1, () => button?.click());
    expect(calls('POST /api/admin/logout')).toHaveLength(1);
    expect(readAdminSession()).toBeNull();
    expect(replaced.mock.calls).toEqual([['/admin/login']]);
  });

  it('shows the four cards, and both lists with what they lack', async () => {
    await open('');
    for (const shown of [
      'Welcome, ada',
      'Total Applications1,234',
      '7 in the last 7 days',
      'Total Contacts56',
      'Delivery Success98.5 %',
      '197/200 deliveries',
      'System StatusOPERATIONAL',
      'Ada LovelaceBD-20261120-100001Email sentTelegram not sent',
      'Nobody has written to support yet.',
    ])
      expect(page.text()).toContain(shown);
  });

  it('says what is not well in place of OPERATIONAL', async () => {
    const problems = ['The mail server refuses every mail.'];
    const parts = [
      ...STATS.parts.slice(0, 1),
      { part: 'mail', name: 'Mail delivery', isHealthy: false, problems },
    ];
    await open('', {
      prepare: (opened) => opened.answer(STATS_CALL, { ...STATS, isOperational: false, parts }),
    });
    expect(page.text()).not.toContain('OPERATIONAL');
    expect(page.text()).toContain('System Status1 of 2 not well');
    expect(page.text()).toContain('Mail delivery: The mail server refuses every mail.');
  });

  it('shows dashes and a retry where the figures cannot be read, and none where there is no delivery', async () => {
    const refused = { success: false, error: 'Too many calls.', code: 'x' };
    await open('', { prepare: (opened) => opened.answer(STATS_CALL, refused, 403) });
    expect(page.text()).toContain('Total Applications—Not available');
    expect(page.text()).toContain('Too many calls.');
    page.answer(STATS_CALL, {
      ...STATS,
      deliverySuccessRate: null,
      successfulDeliveries: 0,
      totalDeliveries: 0,
    });
    await page.pass(31);
    expect(page.text()).toContain('Delivery Success—Not available');
    expect(page.text()).not.toContain('0 %');
  });
});

describe('the figures of the overview', () => {
  it('are read every half minute while somebody is there, and do not keep the session of a desk that was left', async () => {
    await open('');
    await page.pass(65);
    expect(calls(STATS_CALL)).toHaveLength(3);
    await page.pass(5 * 60);
    const before = calls(STATS_CALL).length;
    await page.pass(5 * 60);
    expect(calls(STATS_CALL)).toHaveLength(before);
    await page.pass(0, () => dispatchEvent(new Event('pointermove')));
    await page.pass(31);
    expect(calls(STATS_CALL)).toHaveLength(before + 1);
  });
});

describe('a list', () => {
  it('asks for ten rows, and for what its address names', async () => {
    await open('#verification-requests?status=received&sort=email');
    expect(calls(REQUESTS)).toHaveLength(1);
    expect(page.text()).toContain('1–2 of 2');
    expect(page.text()).toContain('sender-1@example.com');
  });

  it('posts a search, so that its text stands in no address of a call', async () => {
    await open('#contacts?q=ada%40example.com', {
      prepare: (opened) => opened.answer('POST /api/admin/contacts', { contacts: [], total: 0, ...PAGE }),
    });
    expect(calls('POST /api/admin/contacts').map(({ payload }) => payload)).toEqual([
      { limit: '10', sort: 'createdAt', order: 'desc', q: 'ada@example.com' },
    ]);
    expect(page.text()).toContain('Nothing matches.');
  });

  it('says that it is empty', async () => {
    await open('#contacts');
    expect(page.text()).toContain('Nobody has written to support yet.');
  });

  it('says in the server’s words why it cannot be read', async () => {
    const refused = { success: false, error: 'Too many calls.', code: 'x' };
    await open('#contacts', { prepare: (opened) => opened.answer('GET /api/admin/contacts', refused, 403) });
    expect(page.place.querySelector('[role="alert"]')?.textContent).toContain('Too many calls.');
  });

  it('shows neither exports nor decisions to a viewer', async () => {
    const row = requestRow(1);
    await open('#verification-requests', {
      role: 'viewer',
      prepare: (opened) => opened.answer(RECORD, requestRecord(row)),
    });
    expect(page.text()).not.toContain('Export Data');
    await page.pass(0.1, () => opener(row.referenceNumber).click());
    await page.arrive();
    expect(page.text()).toContain('It is staked elsewhere.');
    expect(page.place.querySelector('[aria-keyshortcuts="a"]')).toBeNull();
    await press('a');
    expect(page.text()).not.toContain('Confirm');
    expect(page.text()).not.toContain('Add a note');
  });

  it('is cleared by keys alone: a row, approve, the tier, confirm, and the next', async () => {
    const [first, second] = [requestRow(1), requestRow(2)];
    await open('#verification-requests', {
      prepare: (opened) => opened.answer(RECORD, requestRecord(first)),
    });
    opener(first.referenceNumber).focus();
    await press('j');
    expect(document.activeElement).toBe(opener(second.referenceNumber));
    await press('k');
    await press('a');
    expect(page.text()).toContain('Confirm: Approve');
    const confirm = page.button('Confirm: Approve');
    await page.pass(0, () => confirm.click());
    expect(page.text()).toContain('Choose the tier that the wallet is admitted to.');
    expect(calls(DECIDE)).toEqual([]);
    await page.pass(0, () => page.place.querySelectorAll<HTMLInputElement>('[name="tier"]')[1]?.click());
    page.answer(DECIDE, {
      success: true,
      referenceNumber: first.referenceNumber,
      changedAt: first.changedAt,
      status: 'approved',
    });
    page.answer(RECORD, requestRecord({ ...first, status: 'approved' }));
    await page.pass(0.1, () => confirm.click());
    expect(calls(DECIDE).map(({ payload }) => payload)).toEqual([
      {
        referenceNumber: first.referenceNumber,
        changedAt: first.changedAt,
        decision: 'approved',
        tier: 'Banker',
      },
    ]);
    expect(page.text()).toContain(`${first.referenceNumber}: Approved.`);
    page.answer(RECORD, requestRecord(second));
    await press('n');
    expect(page.text()).toContain('2 of 2 on this page');
  });
});

describe('a decision', () => {
  const row = requestRow(1);

  it('needs a reason where it refuses, and tells in the server’s words that another admin was faster', async () => {
    await open(`#verification-requests?record=${row.referenceNumber}`, {
      prepare: (opened) => opened.answer(RECORD, requestRecord(row)),
    });
    await press('r');
    await page.pass(0, () => page.button('Confirm: Refuse').click());
    expect(page.text()).toContain('Give the reason: it is told to the sender.');
    await page.pass(0, () => {
      const field = page.place.querySelector<HTMLTextAreaElement>('#decision-reason');
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, 'No stake.');
      field?.dispatchEvent(new Event('input', { bubbles: true }));
    });
    page.answer(DECIDE, { success: false, error: 'grace approved it at 09:01.', code: 'x' }, 409);
    page.answer(RECORD, requestRecord({ ...row, status: 'approved' }));
    await page.pass(0.1, () => page.button('Confirm: Refuse').click());
    expect(page.place.querySelector('[data-outcome="conflict"]')?.textContent).toContain(
      'Nothing was decided. grace approved it at 09:01.',
    );
    expect(page.text()).not.toContain('Confirm: Refuse');
    expect(page.text()).not.toMatch(/Refuse r/);
  });

  it('keeps what was written where it fails, so that it can be sent again', async () => {
    await open(`#verification-requests?record=${row.referenceNumber}`, {
      prepare: (opened) => opened.answer(RECORD, requestRecord(row)),
    });
    await press('a');
    await page.pass(0, () => page.place.querySelector<HTMLInputElement>('[name="tier"]')?.click());
    page.losesNetwork(DECIDE);
    await page.pass(0.1, () => page.button('Confirm: Approve').click());
    expect(page.place.querySelector('[data-outcome="failed"]')?.textContent).toContain('No connection');
    expect(page.place.querySelector<HTMLInputElement>('[name="tier"]')?.checked).toBe(true);
  });

  it('of a loan waits for a second admin, and offers no second vote to the first', async () => {
    await open('#loan-applications?record=BD-20261120-300001', {
      prepare: (opened) => {
        opened.answer('GET /api/admin/loan-applications', { loanApplications: [], total: 0, ...PAGE });
        opened.answer(RECORD, loanRecord([{ by: 'grace', isYours: false, decision: 'approve' }]));
      },
    });
    expect(page.text()).toContain('The vote of grace stands: approve. A second one like it decides.');
    expect(page.text()).toContain('Vote to approve');
    page.answer('POST /api/admin/loan-applications/vote', {
      success: true,
      referenceNumber: 'BD-20261120-300001',
      changedAt: '2026-11-20T10:00:00.000Z',
      status: 'in-review',
      outcome: 'waiting',
    });
    page.answer(RECORD, loanRecord([{ by: 'ada', isYours: true, decision: 'approve' }]));
    await press('a');
    await page.pass(0.1, () => page.button('Confirm: Vote to approve').click());
    expect(page.text()).toContain('Your vote is counted. A second admin has to say the same.');
    expect(page.text()).not.toContain('Vote to refuse');
  });
});
