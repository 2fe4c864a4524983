// @module-tag slow
// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listDefinition } from '../../../data/model/admin-lists.ts';
import { readAdminSession, storeAdminSession } from '../admin/admin-session.ts';
import { clearDrafts, hasDrafts } from '../admin-conversation/drafts.ts';
import AdminNavigation from '../admin-frame/AdminNavigation.tsx';
import { enterText, openServedPage, type ServedPage } from '../testing/served-page.tsx';
import AdminDashboard from './AdminDashboard.tsx';
import './BulkBar.tsx';
import './SavedFilters.tsx';
import './RecordDialog.tsx';
import './RecordList.tsx';
import { rowToFocus } from './shortcut-keys.ts';
import {
  APPLICATION,
  LAST_PAGE,
  loanRecord,
  requestRecord,
  requestRow,
  STATS,
  sessionOf,
} from './testing/sample-records.ts';
import { $batchReferences } from './undo-all.ts';

const SESSION = 'GET /api/admin/session';
const STATS_CALL = 'GET /api/admin/dashboard/stats';
const REQUESTS_CALL = 'GET /api/admin/verification-requests';
const RECORD = 'GET /api/admin/record';
const CONVERSATION = 'GET /api/admin/conversation';
const DECIDE = 'POST /api/admin/verification-requests/decide';

let page: ServedPage;
const replaceLocation = vi.fn();
const REFUSAL = [{ success: false, error: 'Too many calls.', code: 'x' }, 403] as const;
const calls = (call: string) => page.requests.filter((request) => request.call === call);

const DASHBOARD_PAGE = (
  <>
    <AdminNavigation path="/admin/dashboard" />
    <AdminDashboard />
  </>
);

type Responses = Readonly<Record<string, readonly [body: unknown, status?: number]>>;

async function open(fragment: string, responses: Responses = {}, role: 'viewer' | 'reviewer' = 'reviewer') {
  location.hash = fragment;
  // Without this event, the route store would keep the URL of the previous test.
  dispatchEvent(new PopStateEvent('popstate'));
  page = await openServedPage(DASHBOARD_PAGE);
  page.respond(SESSION, sessionOf(role));
  page.respond(STATS_CALL, STATS);
  page.respond('GET /api/admin/applications', { applications: [APPLICATION], total: 1, ...LAST_PAGE });
  page.respond('GET /api/admin/contacts', { contacts: [], total: 0, ...LAST_PAGE });
  page.respond('GET /api/admin/work', { work: [], next: null, total: 0 });
  page.respond('GET /api/admin/filters', { filters: [] });
  page.respond('GET /api/admin/assignees', { assignees: [{ id: 'u1', username: 'ada' }] });
  page.respond(REQUESTS_CALL, { requests: [requestRow(1), requestRow(2)], total: 2, ...LAST_PAGE });
  for (const [call, [body, status]] of Object.entries(responses)) page.respond(call, body, status);
  // Ignores the redirect to the login, which was due to the missing session.
  replaceLocation.mockClear();
  await page.advance(0, () => storeAdminSession('token', { username: 'ada' }));
  await page.settle();
  // Lists and dialogs load their code first, then their data.
  await page.settle();
  await page.settle();
}

async function pressKey(key: string): Promise<void> {
  await page.advance(0.1, () => {
    (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
  });
  await page.settle();
  await page.settle();
}

function openButton(reference: string): HTMLButtonElement {
  const found = page.root.querySelector<HTMLButtonElement>(`[data-opens="${reference}"]`);
  if (!found) throw new Error(`No row opens ${reference}.`);
  return found;
}

async function openRow(reference: string): Promise<void> {
  await page.advance(0.1, () => openButton(reference).click());
  await page.settle();
}

beforeEach(() => {
  localStorage.clear();
  replaceLocation.mockClear();
  vi.spyOn(location, 'replace').mockImplementation(replaceLocation);
});
afterEach(async () => {
  await page.close();
  clearDrafts();
  rowToFocus.current = null;
  history.replaceState(null, '', '/');
  vi.restoreAllMocks();
});

const collapseSpaces = (text: string | null | undefined) => text?.replaceAll(/\s+/g, ' ').trim();
const dialog = () => page.root.querySelector('dialog');
const actionKeys = () =>
  [...(dialog()?.querySelectorAll('[aria-keyshortcuts]') ?? [])].map((one) =>
    one.getAttribute('aria-keyshortcuts'),
  );
const confirmButton = () => {
  const button = dialog()?.querySelector<HTMLButtonElement>('form button[type="submit"]');
  if (!button) throw new Error('No decision is open.');
  return button;
};
const outcomeElement = () => dialog()?.querySelector<HTMLElement>('[data-outcome]');
/** Types into an input without an id, or into one outside the island. */
const typeInto = (selector: string, text: string) =>
  page.advance(0, () => {
    const field = document.querySelector<HTMLInputElement>(selector);
    field?.focus();
    if (field) enterText(field, text);
  });

/** Holds back the responses to later requests to `path`. @returns a function that lets them arrive */
function holdResponses(path: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const respond = globalThis.fetch;
  const respondLater = async (url: string, options?: RequestInit) => {
    const response = await respond(url, options);
    if (url === path) await promise;
    return response;
  };
  vi.stubGlobal('fetch', respondLater);
  return resolve;
}

describe('the admin dashboard', () => {
  it('redirects to the login without a session, and sends no requests', async () => {
    page = await openServedPage(DASHBOARD_PAGE);
    expect(replaceLocation.mock.calls).toEqual([['/admin/login']]);
    expect(page.requests).toEqual([]);
  });

  it('redirects to the login when the session has ended, and the login leads back to the open list', async () => {
    history.replaceState(null, '', '/admin/dashboard');
    const listFragment = '#verification-requests?q=ada&sort=email';
    await open(listFragment, { [SESSION]: [{ success: false, error: 'Sign in.', code: 'x' }, 401] });
    expect(readAdminSession()).toBeNull();
    expect(replaceLocation.mock.calls).toEqual([
      [`/admin/login#from=${encodeURIComponent(`/admin/dashboard${listFragment}`)}`],
    ]);
  });

  it('signs out even if the server cannot be reached, and the login does not lead back to the list', async () => {
    history.replaceState(null, '', '/admin/dashboard');
    await open('#verification-requests?q=ada');
    vi.spyOn(console, 'error').mockImplementation(() => {});
    page.failNetwork('POST /api/admin/logout');
    await page.press('Logout');
    expect(calls('POST /api/admin/logout')).toHaveLength(1);
    expect(readAdminSession()).toBeNull();
    expect(replaceLocation.mock.calls).toEqual([['/admin/login']]);
  });

  it('shows the four figures and the newest records of both lists', async () => {
    await open('');
    expect(page.text()).toContain('Welcome, ada');
    const figures = ['Total Applications1,234', 'Total Contacts56', 'Delivery Success98.5 %', '197/200'];
    for (const figure of [...figures, 'System StatusOPERATIONAL']) expect(page.text()).toContain(figure);
    const [, applications, contacts] = page.root.querySelectorAll('section');
    const signs = [...(applications?.querySelectorAll<HTMLElement>('[data-sign]') ?? [])];
    expect(applications?.textContent).toContain('BD-20261120-100001');
    expect(signs.map(({ dataset }) => dataset.sign)).toEqual(['email', 'not']);
    expect(contacts?.querySelector('[data-empty]')).not.toBeNull();
  });

  const WORK = 'GET /api/admin/work';
  const item = (name: string) => ({
    ...{ referenceNumber: name, kind: 'contact-message', list: 'contacts', name, subject: null },
    ...{ status: 'open', assigneeId: null, assignee: null },
    ...{ dueAt: APPLICATION.createdAt, createdAt: APPLICATION.createdAt, changedAt: APPLICATION.createdAt },
  });

  it('moves the focus to the next row of the work list after a decision on a row’s record', async () => {
    const [first, second] = [requestRow(1), requestRow(2)];
    const work = [item(first.referenceNumber), item(second.referenceNumber)];
    await open('', { [WORK]: [{ work, next: null, total: 2 }], [RECORD]: [requestRecord(first)] });
    await openRow(first.referenceNumber);
    page.respond(WORK, { work: work.slice(1), next: null, total: 1 });
    await page.advance(10);
    await page.advance(0.1, () => dialog()?.close());
    expect(document.activeElement).toBe(openButton(second.referenceNumber));
  });

  it.each([
    ['on a record’s button outside the work list', APPLICATION.referenceNumber, true],
    ['on the page if the browser does not return it to the button that opened the record', 'other', false],
  ])('leaves the focus %s', async (_, waiting, isFocused) => {
    await open('', {
      [WORK]: [{ work: [item(waiting)], next: null, total: 1 }],
      [RECORD]: [requestRecord(requestRow(1))],
    });
    const opener = [...page.root.querySelectorAll<HTMLButtonElement>('ul button:not([data-opens])')].find(
      ({ textContent }) => textContent?.includes(APPLICATION.referenceNumber),
    );
    await page.advance(0.1, () => opener?.click());
    await page.settle();
    await page.advance(0.1, () => {
      dialog()?.close();
      // When a dialog closes, most browsers return the focus to the button that opened it.
      if (isFocused) opener?.focus();
    });
    expect(dialog()).toBeNull();
    expect(document.activeElement).toBe(isFocused ? opener : document.body);
  });

  it('adds the next page of the work list below the first, until there are no more pages', async () => {
    await open('', { [WORK]: [{ work: [item('first')], next: 'place', total: 2 }] });
    page.respond(WORK, { work: [item('second')], next: null, total: 2 });
    await page.press('Show more');
    expect(page.root.querySelectorAll('[data-opens="first"], [data-opens="second"]')).toHaveLength(2);
    expect(page.root.querySelector('[data-more]')).toBeNull();
  });

  it('shows the failing service in place of OPERATIONAL, and lists the open alerts', async () => {
    const alert = { code: 'disk-low', title: 'The disk is filling up', detail: '5 MB are free.' } as const;
    const since = '2026-01-02T03:04:05.000Z';
    const alerts = [{ ...alert, since }];
    const problems = ['The mail server refuses every email.'];
    const parts = [
      ...STATS.parts.slice(0, 1),
      { part: 'mail', name: 'Mail delivery', isHealthy: false, problems },
    ];
    await open('', { [STATS_CALL]: [{ ...STATS, isOperational: false, parts, alerts }] });
    expect(page.text()).not.toContain('OPERATIONAL');
    expect(page.text()).toContain('1 of 2');
    expect(page.text()).toContain('Mail delivery: The mail server refuses every email.');
    const list = page.root.querySelector('[aria-label="Open alerts"]');
    expect(list?.querySelector('time')?.dateTime).toBe(since);
    expect(list?.textContent).toContain('5 MB are free.');
  });

  it('shows dashes and the error if the figures cannot be read, and a dash for the success rate without deliveries', async () => {
    await open('', { [STATS_CALL]: REFUSAL });
    expect(page.text()).toContain('Total Applications—');
    expect(page.text()).toContain('Too many calls.');
    const noDeliveries = { deliverySuccessRate: null, successfulDeliveries: 0, totalDeliveries: 0 };
    page.respond(STATS_CALL, { ...STATS, ...noDeliveries });
    await page.advance(31);
    expect(page.text()).toContain('Delivery Success—');
    expect(page.text()).not.toContain('0 %');
  });

  it('reads the figures and an open conversation only while the admin is active, and rereads the conversation as soon as the admin returns', async () => {
    const row = requestRow(1);
    const conversation = { referenceNumber: row.referenceNumber, messages: [], isWaiting: false };
    await open(`#verification-requests?record=${row.referenceNumber}`, {
      [RECORD]: [requestRecord(row)],
      [CONVERSATION]: [conversation],
    });
    const readCounts = () => [calls(STATS_CALL).length, calls(CONVERSATION).length] as const;
    const [statsAtFirst, conversationAtFirst] = readCounts();
    await page.advance(20);
    expect(readCounts()).toEqual([statsAtFirst + 2, conversationAtFirst + 2]);
    await page.advance(5 * 60);
    const [statsBefore, conversationBefore] = readCounts();
    await page.advance(60, () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    expect(readCounts()).toEqual([statsBefore, conversationBefore]);
    await page.advance(0, () => dispatchEvent(new Event('pointermove')));
    expect(calls(CONVERSATION)).toHaveLength(conversationBefore + 1);
    await page.advance(11);
    expect(readCounts()).toEqual([statsBefore + 1, conversationBefore + 2]);
  });

  it('shows the number of waiting records in the navigation and the title', async () => {
    document.title = 'Admin Dashboard';
    await open('');
    const waitingText = (id: string) =>
      page.root.querySelector(`[data-entry="${id}"] [data-waiting]`)?.textContent;
    expect(waitingText('verification-requests')).toBe('2 open');
    expect(waitingText('applications')).toBeUndefined();
    expect(document.title).toBe('(2) Admin Dashboard');
    page.respond(STATS_CALL, { ...STATS, openRequests: 0 });
    await page.advance(10);
    expect(document.title).toBe('Admin Dashboard');
  });

  const typeCommand = async (text: string) => {
    await page.advance(0, () => {
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }),
      );
    });
    await typeInto('dialog[open] [role=combobox]', text);
  };

  it('exports the current view of the list from the command palette, by keyboard, while a row has the focus', async () => {
    const exportCall = 'POST /api/admin/export/verification-requests';
    const clickDownload = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
    await open('#verification-requests?status=received&sort=email', { [exportCall]: [{}] });
    const inDialog = <Found extends Element>(selector: string) =>
      document.querySelector<Found>(`dialog[open] ${selector}`);
    openButton(requestRow(1).referenceNumber).focus();
    await typeCommand('export this');
    await pressKey('Enter');
    expect(inDialog('[role=combobox]')).toBeNull();
    expect(inDialog('[data-export]')?.textContent).toContain('2 rows that match');
    await page.advance(0, () => inDialog<HTMLButtonElement>('[type=submit]')?.click());
    await page.settle();
    expect(calls(exportCall)).toMatchObject([
      { payload: { status: 'received', sort: 'email', order: 'asc', format: 'xlsx' } },
    ]);
    expect(clickDownload).toHaveBeenCalledOnce();
  });

  it('reports that an export from the command palette failed', async () => {
    const exportCall = 'GET /api/admin/export/applications';
    await open('', { [exportCall]: REFUSAL });
    await typeCommand('export applications csv');
    await pressKey('Enter');
    expect(calls(exportCall)).toHaveLength(1);
    expect(document.querySelector('.toast.failure')?.textContent).toContain('Too many calls.');
  });

  it('closes the command palette with a button, because a phone has neither Escape nor space beside the palette', async () => {
    await open('');
    await typeCommand('ada');
    const palette = document.querySelector('dialog[open]');
    expect(document.activeElement?.matches('[role=combobox]')).toBe(true);
    await page.advance(0.1, () => palette?.querySelector<HTMLElement>('button:not([role])')?.click());
    expect(document.querySelector('[role=combobox]')).toBeNull();
  });

  it('moves the focus to the list that the command palette opens, even if a button opened the palette', async () => {
    await open('');
    await typeCommand('waiting verif');
    await page.advance(0.1, () => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      // Browsers return the focus to the button that opened the palette. The test has to do that itself.
      document.querySelector<HTMLElement>('[aria-keyshortcuts="Control+K Meta+K"]')?.focus();
    });
    await page.settle();
    await page.settle();
    expect(document.activeElement).toBe(openButton(requestRow(1).referenceNumber));
  });
});

describe('a list', () => {
  it('shows a record that arrives while it is open', async () => {
    await open('#verification-requests');
    page.respond(REQUESTS_CALL, {
      requests: [requestRow(3), requestRow(1), requestRow(2)],
      total: 3,
      ...LAST_PAGE,
    });
    await page.advance(10);
    expect(page.text()).toContain('sender-3@example.com');
    expect(page.text()).toContain('1–3 of 3');
  });

  it('is sorted by the URL or by a clicked heading, which also returns to the first page', async () => {
    await open('#verification-requests?sort=email&after=x.1&page=2');
    expect(page.root.querySelector('[aria-sort]')?.textContent).toBe('Email');
    await page.press('Wallet');
    expect(location.hash).toBe('#verification-requests?sort=walletAddress');
    await page.press('Wallet');
    expect(location.hash).toBe('#verification-requests?sort=-walletAddress');
    expect(calls(REQUESTS_CALL)).toHaveLength(3);
  });

  it('shows the number of rows to export only if it is exact', async () => {
    const requests = [requestRow(1), requestRow(2)];
    await open('#verification-requests', {
      [REQUESTS_CALL]: [{ requests, total: 10_000, isTotalExact: false, next: null }],
    });
    await page.press('Export Data');
    expect(dialog()?.querySelector('[data-export]')?.textContent).not.toContain('10,000');
  });

  it('sends a search by POST, so that it is not part of a URL', async () => {
    await open('#contacts?q=ada%40example.com', {
      'POST /api/admin/contacts': [{ contacts: [], total: 0, ...LAST_PAGE }],
    });
    expect(calls('POST /api/admin/contacts').map(({ payload }) => payload)).toEqual([
      { limit: '25', sort: 'dueAt', order: 'asc', q: 'ada@example.com' },
    ]);
    expect(page.button('Show all').disabled).toBe(false);
  });

  it.each([
    ['its export dialog', () => page.root.querySelector<HTMLElement>('[data-export-view]')],
    ['a record over it', () => openButton(requestRow(1).referenceNumber)],
  ])(
    'keeps %s open after a drag that ends outside, and closes it after a click outside',
    async (_, opener) => {
      await open('#verification-requests', { [RECORD]: [requestRecord(requestRow(1))] });
      await page.advance(0.1, () => opener()?.click());
      await page.settle();
      const clickOutside = (pressed: Element | null | undefined) =>
        page.advance(0.1, () => {
          pressed?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
          dialog()?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        });
      await clickOutside(dialog()?.querySelector('h2'));
      expect(dialog()).not.toBeNull();
      await clickOutside(dialog());
      expect(dialog()).toBeNull();
    },
  );

  it("shows the server's error when it cannot be read, and says when it is empty", async () => {
    await open('#contacts', { 'GET /api/admin/contacts': REFUSAL });
    expect(page.root.querySelector('[role="alert"]')?.textContent).toContain('Too many calls.');
    expect(page.root.querySelector('[data-empty]')).toBeNull();
    page.respond('GET /api/admin/contacts', { contacts: [], total: 0, ...LAST_PAGE });
    await page.press(`Retry ${listDefinition('contacts').title}`);
    expect(collapseSpaces(page.root.querySelector('[data-empty]')?.textContent)).toBe(
      listDefinition('contacts').emptyText,
    );
  });

  it('shows a viewer no exports, checkboxes or decisions', async () => {
    const row = requestRow(1);
    await open('#verification-requests', { [RECORD]: [requestRecord(row)] }, 'viewer');
    expect(page.text()).not.toContain('Export Data');
    expect(page.root.querySelector('input[type="checkbox"]')).toBeNull();
    openButton(row.referenceNumber).focus();
    await pressKey('x');
    expect(page.root.querySelector('[data-selected]')).toBeNull();
    await openRow(row.referenceNumber);
    expect(dialog()?.textContent).toContain('It is staked elsewhere.');
    expect(actionKeys()).toEqual([]);
    await pressKey('a');
    expect(dialog()?.querySelector('form')).toBeNull();
  });

  it('can be worked through by keyboard from the start: focus a row, approve, choose the tier, confirm, open the next record', async () => {
    const [first, second] = [requestRow(1), requestRow(2)];
    await open('#verification-requests', { [RECORD]: [requestRecord(first)] });
    $batchReferences.set([first.referenceNumber, second.referenceNumber]);
    expect(document.activeElement).toBe(document.body);
    await pressKey('j');
    expect(document.activeElement).toBe(openButton(first.referenceNumber));
    await pressKey('j');
    expect(document.activeElement).toBe(openButton(second.referenceNumber));
    await pressKey('k');
    await pressKey('a');
    await page.advance(0, () => confirmButton().click());
    expect(dialog()?.querySelector('#tier-error')).not.toBeNull();
    expect(calls(DECIDE)).toEqual([]);
    await page.advance(0, () => page.root.querySelectorAll<HTMLInputElement>('[name="tier"]')[1]?.click());
    await page.advance(0, () => confirmButton().click());
    expect(dialog()?.querySelector('#decision-despite')?.getAttribute('aria-invalid')).toBe('true');
    expect(calls(DECIDE)).toEqual([]);
    await page.type('decision-despite', 'Seen in a call.');
    const { referenceNumber, changedAt } = first;
    page.respond(DECIDE, { success: true, referenceNumber, changedAt, status: 'approved' });
    page.respond(RECORD, requestRecord({ ...first, status: 'approved' }));
    await page.advance(0.1, () => confirmButton().click());
    expect(calls(DECIDE).map(({ payload }) => payload)).toEqual([
      {
        ...{ referenceNumber, changedAt, decision: 'approved', tier: 'Banker' },
        despite: { warnings: ['ownership-unproven', 'no-tier'], reason: 'Seen in a call.' },
      },
    ]);
    expect(outcomeElement()?.dataset.outcome).toBe('done');
    // A single decision is undone on its own, not with the previous batch.
    expect($batchReferences.get()).toEqual([]);
    page.respond(RECORD, requestRecord(second));
    await pressKey('n');
    expect(location.hash).toContain(`record=${second.referenceNumber}`);
    expect(dialog()?.textContent).toContain('2 of 2');
  });
});

describe('saved filters', () => {
  const FILTERS = 'GET /api/admin/filters';
  const filter = { id: 'f1', list: 'contacts', name: 'Late', adminId: 'u2', owner: 'grace', isShared: true };
  const view = { q: '', filters: { due: 'overdue', gone: 'x' }, sort: 'name', order: 'asc', rows: 25 };

  it('open their list without filters that no longer exist, and are saved from the current view', async () => {
    await open('#contacts?q=ada%40example.com&status=open', {
      [FILTERS]: [{ filters: [{ ...filter, view }] }],
      'POST /api/admin/contacts': [{ contacts: [], total: 0, ...LAST_PAGE }],
    });
    expect(page.root.querySelector('[data-dropped-filters]')?.getAttribute('data-dropped-filters')).toBe(
      'gone',
    );
    await page.press('Save filter');
    const form = () => document.querySelector<HTMLFormElement>('[data-filter-form]');
    await page.type('filter-name', 'Ada');
    page.respond('POST /api/admin/filters/save', { success: true, id: 'f2' });
    await page.advance(0.1, () => form()?.requestSubmit());
    expect(calls('POST /api/admin/filters/save').map(({ payload }) => payload)).toEqual([
      {
        ...{ id: null, list: 'contacts', name: 'Ada', isShared: false },
        view: {
          ...{ q: 'ada@example.com', filters: { status: 'open' }, sort: 'dueAt', order: 'asc', rows: 25 },
        },
      },
    ]);
    await page.settle();
    expect(form()).toBeNull();
    await page.advance(0.1, () => page.root.querySelector<HTMLElement>('[data-filter="f1"]')?.click());
    expect(location.hash).toBe('#contacts?due=overdue&sort=name');
  });
});

describe('a selection', () => {
  const [first, second] = [requestRow(1), requestRow(2)];
  const CHANGE = 'POST /api/admin/records/change';
  const result = ({ referenceNumber }: typeof first, outcome: string) => ({
    ...{ referenceNumber, outcome, status: 'received', assigneeId: null, warnings: [] },
  });
  const bar = () => page.root.querySelector<HTMLElement>('[data-selected]');
  const boxes = () => [...page.root.querySelectorAll<HTMLInputElement>('tbody input[type="checkbox"]')];
  const versionOf = ({ referenceNumber, changedAt, assigneeId }: typeof first) => ({
    ...{ referenceNumber, changedAt, assigneeId },
  });

  it('is made by keyboard; its preview and its change send the versions that the admin saw', async () => {
    await open('#verification-requests');
    openButton(first.referenceNumber).focus();
    await pressKey('x');
    await pressKey('j');
    await pressKey('x');
    expect(bar()?.dataset.selected).toBe('2');
    const action = (id: string) => bar()?.querySelector<HTMLButtonElement>(`[data-action="${id}"]`);
    expect(action('contact-message closed')).toBeNull();
    await page.advance(0.1, () => action('assign')?.click());
    await page.settle();
    const form = () => document.querySelector<HTMLFormElement>('[data-bulk]');
    page.respond(CHANGE, {
      ...{ success: true, changed: 1 },
      records: [result(first, 'ready'), result(second, 'changed')],
    });
    await page.advance(0.1, () => form()?.requestSubmit());
    const outcomes = () =>
      [...(form()?.querySelectorAll<HTMLElement>('[data-result]') ?? [])].map(
        ({ dataset }) => dataset.result,
      );
    expect(outcomes()).toEqual(['changed', 'ready']);
    page.respond(CHANGE, {
      ...{ success: true, changed: 1 },
      records: [result(first, 'done'), result(second, 'changed')],
    });
    await page.advance(0.1, () => form()?.requestSubmit());
    expect(outcomes()).toEqual(['changed', 'done']);
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Records');
    const changePayload = {
      action: 'assign',
      assignTo: null,
      records: [versionOf(first), versionOf(second)],
    };
    expect(calls(CHANGE).map(({ payload }) => payload)).toEqual([
      { ...changePayload, isPreview: true },
      { ...changePayload, isPreview: false },
    ]);
    await page.advance(0.1, () => form()?.closest('dialog')?.close());
    await page.settle();
    // Records that were left out stay selected.
    expect(bar()?.dataset.selected).toBe('1');
    expect(boxes().map(({ checked }) => checked)).toEqual([false, true]);
  });

  it('can be a range, a page or all matching records, and ends with Escape or another filter', async () => {
    await open('#verification-requests', {
      [REQUESTS_CALL]: [
        { requests: [first, second, requestRow(3)], total: 4, isTotalExact: true, next: 'x.1' },
      ],
    });
    const click = (box: HTMLInputElement | undefined, shiftKey = false) =>
      page.advance(0.1, () => box?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey })));
    await click(boxes()[0]);
    await click(boxes()[2], true);
    expect(boxes().map(({ checked }) => checked)).toEqual([true, true, true]);
    await page.settle();
    page.respond(REQUESTS_CALL, {
      requests: [first, second, requestRow(3), requestRow(4)],
      total: 4,
      ...LAST_PAGE,
    });
    await page.press('Select all 4 that match');
    expect(bar()?.dataset.selected).toBe('4');
    expect(location.hash).toBe('#verification-requests');
    openButton(first.referenceNumber).focus();
    await pressKey('Escape');
    expect(bar()).toBeNull();
    await click(page.root.querySelector<HTMLInputElement>('thead input[type="checkbox"]') ?? undefined);
    await page.settle();
    expect(bar()?.dataset.selected).toBe('3');
    location.hash = '#verification-requests?status=refused';
    await page.advance(0.1, () => dispatchEvent(new PopStateEvent('popstate')));
    await page.settle();
    expect(bar()).toBeNull();
  });
});

describe('a record beside its list', () => {
  const [first, second] = [requestRow(1), requestRow(2)];
  const currentRowButton = () => page.root.querySelector('tr[aria-current] [data-opens]');
  beforeEach(() => {
    const wideMediaQuery = { matches: true, addEventListener: () => {}, removeEventListener: () => {} };
    vi.spyOn(globalThis, 'matchMedia').mockImplementation(() => wideMediaQuery as unknown as MediaQueryList);
  });

  it('shows the row that the keys move to, and returns the focus to that row when it closes', async () => {
    await open('#verification-requests', { [RECORD]: [requestRecord(first)] });
    await openRow(first.referenceNumber);
    expect(document.activeElement?.id).toBe('record-title');
    page.respond(RECORD, requestRecord(second));
    openButton(first.referenceNumber).focus();
    await pressKey('j');
    expect(document.activeElement).toBe(openButton(second.referenceNumber));
    expect(location.hash).toContain(`record=${second.referenceNumber}`);
    expect(currentRowButton()).toBe(openButton(second.referenceNumber));
    const ASSIGN = 'POST /api/admin/records/assign';
    page.respond(ASSIGN, { success: true, assigneeId: 'u1' });
    await pressKey('m');
    expect(calls(ASSIGN).map(({ payload }) => payload)).toEqual([
      { referenceNumber: second.referenceNumber, assigneeId: 'u1', from: null },
    ]);
    // The focus moves to another record's row, as it can with Tab.
    openButton(first.referenceNumber).focus();
    await pressKey('m');
    expect(calls(ASSIGN)).toHaveLength(1);
    openButton(second.referenceNumber).focus();
    await pressKey('Escape');
    expect(dialog()).toBeNull();
    expect(document.activeElement).toBe(openButton(second.referenceNumber));
  });

  it('moves to the next row on J while it has the focus, and closes on Escape', async () => {
    await open('#verification-requests', { [RECORD]: [requestRecord(first)] });
    await openRow(first.referenceNumber);
    page.respond(RECORD, requestRecord(second));
    await pressKey('j');
    expect(location.hash).toContain(`record=${second.referenceNumber}`);
    expect(document.activeElement?.id).toBe('record-title');
    await pressKey('Escape');
    expect(location.hash).toBe('#verification-requests');
    expect(document.activeElement).toBe(openButton(second.referenceNumber));
  });

  it('returns the focus to its row if a click in the row moved the focus to the area around the rows', async () => {
    await open('#verification-requests', { [RECORD]: [requestRecord(first)] });
    const focusArea = () => page.root.querySelector<HTMLElement>('.scroll')?.focus();
    await page.advance(0.1, () => {
      focusArea();
      openButton(first.referenceNumber).closest('tr')?.click();
    });
    await page.settle();
    expect(document.activeElement?.id).toBe('record-title');
    await page.advance(0.1, () => {
      dialog()?.close();
      // Browsers return the focus to the area that had it before. The test has to do that itself.
      focusArea();
    });
    expect(dialog()).toBeNull();
    expect(document.activeElement).toBe(openButton(first.referenceNumber));
  });

  it('closes when the list is searched, and the focus stays in the search field', async () => {
    await open('#verification-requests', {
      [RECORD]: [requestRecord(first)],
      'POST /api/admin/verification-requests': [{ requests: [first], total: 1, ...LAST_PAGE }],
    });
    await openRow(first.referenceNumber);
    await typeInto('input[type="search"]', 'ma');
    await page.advance(1);
    await page.settle();
    expect(location.hash).toBe('#verification-requests?q=ma');
    expect(document.activeElement?.matches('input[type="search"]')).toBe(true);
  });

  it('handles a key pressed in its row, and does not also type it into the field that the key focuses', async () => {
    await open('#verification-requests', { [RECORD]: [requestRecord(first)] });
    await openRow(first.referenceNumber);
    const keyDown = new KeyboardEvent('keydown', { key: 't', bubbles: true, cancelable: true });
    await page.advance(0.1, () => {
      openButton(first.referenceNumber).focus();
      document.activeElement?.dispatchEvent(keyDown);
    });
    expect(document.activeElement?.id).toBe('record-note');
    expect(keyDown.defaultPrevented).toBe(true);
  });

  it('handles keys after its focused control disappears, and has the focus after a decision is canceled', async () => {
    await open('#verification-requests', { [RECORD]: [requestRecord(first)] });
    await openRow(first.referenceNumber);
    const pressUnfocused = async (key: string) => {
      const control = document.createElement('button');
      dialog()?.append(control);
      control.focus();
      control.remove();
      expect(document.activeElement).toBe(document.body);
      await pressKey(key);
    };
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await pressKey('m');
    expect(calls('POST /api/admin/records/assign')).toEqual([]);
    await pressUnfocused('r');
    expect(document.activeElement?.id).toBe('decision-reason');
    await pressKey('Escape');
    expect(document.activeElement?.id).toBe('record-title');
    page.respond(RECORD, requestRecord(second));
    await pressUnfocused('j');
    expect(location.hash).toContain(`record=${second.referenceNumber}`);
    await pressUnfocused('Escape');
    expect(dialog()).toBeNull();
  });

  it('ignores keys pressed in a dialog over it, and so does its list', async () => {
    const { referenceNumber, status, createdAt, changedAt } = second;
    const list = 'verification-requests';
    const other = { referenceNumber, status, createdAt, changedAt, list, name: 'Ada', isSameMailbox: true };
    const focusButtonIn = (selector: string) =>
      document.querySelector<HTMLElement>(`${selector} button[type="submit"]`)?.focus();
    await open('#verification-requests', {
      [RECORD]: [requestRecord(first)],
      'GET /api/admin/record/others': [{ records: [other], total: 1 }],
    });
    openButton(first.referenceNumber).focus();
    await pressKey('x');
    await page.advance(0.1, () => page.root.querySelector<HTMLElement>('[data-action="assign"]')?.click());
    await page.settle();
    focusButtonIn('[data-bulk]');
    await pressKey('Escape');
    expect(page.root.querySelector('[data-selected]')).not.toBeNull();
    await page.advance(0.1, () => page.root.querySelector('[data-bulk]')?.closest('dialog')?.close());
    await openRow(first.referenceNumber);
    await page.press(`Merge with ${referenceNumber}`);
    focusButtonIn('[data-merge]');
    expect(document.activeElement?.closest('[data-merge]')).not.toBeNull();
    await pressKey('m');
    await pressKey('Escape');
    expect(calls('POST /api/admin/records/assign')).toEqual([]);
    expect(location.hash).toContain(`record=${first.referenceNumber}`);
  });
});

describe('a message to the person who sent a record', () => {
  const SEND = 'POST /api/admin/conversation/reply';
  const message = (id: string) => ({
    ...{
      id,
      kind: 'answer',
      at: APPLICATION.createdAt,
      by: null,
      sender: 'ada@example.com',
      isFromOther: false,
    },
    ...{ subject: 'Tier', text: `Text of ${id}`, attachments: [], delivery: null },
  });
  const { referenceNumber } = requestRow(1);
  const conversation = (...ids: readonly string[]) => ({
    ...{ referenceNumber, messages: ids.map(message), isWaiting: false, variables: {}, answersArrive: true },
  });

  it('is sent with Ctrl+Enter, with the id of the message that was newest when its form opened or the server last refused it', async () => {
    await open(`#verification-requests?record=${referenceNumber}`, {
      [RECORD]: [requestRecord(requestRow(1))],
      [CONVERSATION]: [conversation('m1')],
      [SEND]: [{ success: false, error: 'A newer message has arrived.', code: 'conversation-changed' }, 409],
    });
    await pressKey('e');
    await page.type('reply-text', 'We refund it today.');
    page.respond(CONVERSATION, conversation('m1', 'm2'));
    await page.advance(10);
    expect(page.text()).toContain('Text of m2');
    const ctrlEnter = { key: 'Enter', ctrlKey: true, bubbles: true };
    const send = () =>
      page.advance(0.1, () =>
        page.root.querySelector('#reply-text')?.dispatchEvent(new KeyboardEvent('keydown', ctrlEnter)),
      );
    page.respond(CONVERSATION, conversation('m1', 'm2', 'm3'));
    await send();
    expect(page.text()).toContain('Text of m3');
    page.respond(CONVERSATION, conversation('m1', 'm2', 'm3', 'm4'));
    await page.advance(10);
    await send();
    expect(calls(SEND).map(({ payload }) => (payload as { readonly after: unknown }).after)).toEqual([
      'm1',
      'm3',
    ]);
  });

  it('keeps the admin’s own text when another template replaces the template below it', async () => {
    const template = (id: string) => ({
      ...{ id, title: id, subject: `Subject ${id}`, text: `Text ${id}`, asks: false, kinds: null },
    });
    await open(`#verification-requests?record=${referenceNumber}`, {
      [RECORD]: [requestRecord(requestRow(1))],
      [CONVERSATION]: [conversation()],
      'GET /admin/reply-templates.json': [[template('t1'), template('t2')]],
    });
    await pressKey('e');
    const choose = (id: string) =>
      page.advance(0, () => {
        const select = page.root.querySelector<HTMLSelectElement>('#reply-template');
        if (select) select.value = id;
        select?.dispatchEvent(new Event('change', { bubbles: true }));
      });
    const filled = () => [
      page.root.querySelector<HTMLInputElement>('#reply-subject')?.value,
      page.root.querySelector<HTMLTextAreaElement>('#reply-text')?.value,
    ];
    await choose('t1');
    await page.advance(0.1, () => dialog()?.close());
    await openRow(referenceNumber);
    await choose('t2');
    expect(filled()).toEqual(['Subject t2', 'Text t2']);
    await page.type('reply-subject', 'Your tier');
    await choose('t1');
    expect(filled()).toEqual(['Your tier', 'Text t1']);
    await page.type('reply-text', 'We refund it.\n');
    await page.type('reply-subject', 'Refund');
    await choose('t1');
    await choose('t2');
    expect(filled()).toEqual(['Refund', 'We refund it.\n\nText t2']);
  });

  it('has no preview of a text that was edited while the preview was loading', async () => {
    const PREVIEW = '/api/admin/conversation/preview';
    await open(`#verification-requests?record=${referenceNumber}`, {
      [RECORD]: [requestRecord(requestRow(1))],
      [CONVERSATION]: [conversation('m1')],
      [`POST ${PREVIEW}`]: [
        { subject: 'Tier', html: '', text: 'Soon.', to: 'ada@example.com', replyTo: null },
      ],
    });
    await pressKey('e');
    await page.type('reply-text', 'Soon.');
    const release = holdResponses(PREVIEW);
    await page.press('Preview');
    await page.type('reply-text', 'Today.');
    await page.advance(0.1, release);
    expect(page.root.querySelector('iframe')).toBeNull();
    await page.press('Preview');
    expect(page.root.querySelector('iframe')).not.toBeNull();
  });

  it('survives the end of the session, if the same admin signs in again in another tab', async () => {
    vi.spyOn(location, 'reload').mockImplementation(() => {});
    history.replaceState(null, '', '/admin/dashboard');
    await open(`#verification-requests?record=${referenceNumber}`, {
      [RECORD]: [requestRecord(requestRow(1))],
      [CONVERSATION]: [conversation('m1')],
    });
    await pressKey('e');
    await page.type('reply-text', 'We refund it today.');
    page.respond(CONVERSATION, { success: false, error: 'Sign in.', code: 'x' }, 401);
    await page.advance(10);
    expect(readAdminSession()).toBeNull();
    expect(replaceLocation).not.toHaveBeenCalled();
    const link = page.root.querySelector<HTMLAnchorElement>('[role="alert"] a[target="_blank"]');
    expect(link?.getAttribute('href')).toMatch(/^\/admin\/login#from=/);
    page.respond(CONVERSATION, conversation('m1'));
    await page.advance(0, () => storeAdminSession('later', { username: 'ada' }));
    await page.settle();
    expect(page.root.querySelector<HTMLTextAreaElement>('#reply-text')?.value).toBe('We refund it today.');
    expect(location.reload).not.toHaveBeenCalled();
    // Another admin signs in without ending this session first, for example with an invitation link in another tab.
    await page.advance(0, () => storeAdminSession('other', { username: 'grace' }));
    expect(location.reload).toHaveBeenCalledOnce();
  });
});

describe('the card of a record', () => {
  const row = requestRow(1);
  const AT = '2026-11-21T09:58:00.000Z';
  const card = {
    ...{ cardId: 'c1', state: 'active', tier: 'Banker', lastFour: '4242', isTestCard: true, createdAt: AT },
    ...{ limits: { daily: 1_000, monthly: 10_000 }, changedAt: AT, stakeGoneAt: null, closesAt: null },
    ...{ frozenByTeamAt: null, closedByTeamAt: null, closedByHolderAt: null, closing: null, decisions: [] },
  };
  const openCardFacts = async (cardholder: unknown) => {
    const stored = requestRecord(row);
    const record = { ...stored.record, card: { ...card, cardholder } };
    await open(`#verification-requests?record=${row.referenceNumber}`, {
      [RECORD]: [{ ...stored, record }],
    });
    return [...(dialog()?.querySelectorAll('[data-team-card] dd') ?? [])].map(
      ({ textContent }) => textContent,
    );
  };

  it('does not disable the button while a decision is sent, because the button would lose the focus', async () => {
    await openCardFacts(null);
    await page.press('Freeze card');
    await page.type('card-reason', 'Lost.');
    const release = holdResponses('/api/admin/cards/decide');
    const button = page.root.querySelector<HTMLButtonElement>('[aria-label="Freeze card"] [type="submit"]');
    await page.advance(0.1, () => button?.click());
    expect([button?.getAttribute('aria-disabled'), button?.disabled]).toEqual(['true', false]);
    await page.advance(0.1, () => button?.click());
    await page.advance(0.1, release);
    expect(calls('POST /api/admin/cards/decide')).toHaveLength(1);
    expect(page.root.querySelector('[data-team-card] [role="alert"]')).not.toBeNull();
  });

  const cardholderFields = {
    ...{ firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1990-12-10', email: 'ada@example.com' },
    ...{ phone: '+442079460958', acceptedAt: AT },
  };
  it.each([
    ['what its holder entered for the issuer', cardholderFields, 5],
    ['one line if the holder’s data cannot be decrypted', 'unreadable', 1],
    ['no line if nothing was entered', null, 0],
  ])('has %s', async (_, cardholder, lineCount) => {
    const factTexts = await openCardFacts(cardholder);
    // Every card has five facts: state, tier, limits, number and age.
    expect(factTexts).toHaveLength(5 + lineCount);
    if (cardholder !== cardholderFields) return;
    for (const fact of ['Ada Lovelace', '1990-12-10', 'ada@example.com', '+442079460958'])
      expect(factTexts).toContain(fact);
  });
});

describe('a decision', () => {
  const row = requestRow(1);

  it('to assign a record to oneself sends its previous assignee, and an overdue record is marked', async () => {
    const overdueRow = { ...row, dueAt: '2020-01-02T03:04:05.000Z' };
    await open(`#verification-requests?record=${row.referenceNumber}`, {
      [RECORD]: [requestRecord(overdueRow)],
    });
    expect(dialog()?.querySelector('[data-due="overdue"]')).not.toBeNull();
    page.respond('POST /api/admin/records/assign', { success: true, assigneeId: 'u1' });
    page.respond(RECORD, requestRecord({ ...overdueRow, assigneeId: 'u1', assignee: 'ada' }));
    await pressKey('m');
    expect(calls('POST /api/admin/records/assign').map(({ payload }) => payload)).toEqual([
      { referenceNumber: row.referenceNumber, assigneeId: 'u1', from: null },
    ]);
    expect(actionKeys()).not.toContain('m');
  });

  it('to refuse requires a reason, keeps it after a failure, and shows a conflict if another admin decided first', async () => {
    await open(`#verification-requests?record=${row.referenceNumber}`, { [RECORD]: [requestRecord(row)] });
    expect(actionKeys()).toEqual(['m', 'a', 'r']);
    await pressKey('r');
    await page.advance(0, () => confirmButton().click());
    expect(dialog()?.querySelector('#decision-reason')?.getAttribute('aria-invalid')).toBe('true');
    await page.type('decision-reason', 'No stake.');
    page.failNetwork(DECIDE);
    await page.advance(0.1, () => confirmButton().click());
    expect(outcomeElement()?.dataset.outcome).toBe('failed');
    page.respond(DECIDE, { success: false, error: 'grace approved it at 09:01.', code: 'x' }, 409);
    page.respond(RECORD, requestRecord({ ...row, status: 'approved' }));
    await page.advance(0.1, () => confirmButton().click());
    expect(calls(DECIDE).map(({ payload }) => payload)).toMatchObject([
      { reason: 'No stake.' },
      { reason: 'No stake.' },
    ]);
    expect(outcomeElement()?.dataset.outcome).toBe('conflict');
    expect(outcomeElement()?.textContent).toContain('grace approved it at 09:01.');
    expect(actionKeys()).toEqual(['m']);
  });

  it('and a note keep their text when the record closes, and a reason also survives a conflict', async () => {
    const fieldText = (id: string) => page.root.querySelector<HTMLTextAreaElement>(`#${id}`)?.value;
    const record = requestRecord(row);
    await open('#verification-requests', { [RECORD]: [record] });
    await openRow(row.referenceNumber);
    await page.type('record-note', 'Called back.');
    page.root.querySelector<HTMLElement>('#record-note')?.focus();
    await pressKey('Escape');
    expect(document.activeElement?.id).toBe('record-title');
    await pressKey('r');
    await page.type('decision-reason', 'No stake.');
    await page.advance(0.1, () => dialog()?.close());
    await openRow(row.referenceNumber);
    expect(fieldText('record-note')).toBe('Called back.');
    await pressKey('r');
    expect(fieldText('decision-reason')).toBe('No stake.');
    page.respond(DECIDE, { success: false, error: 'Changed.', code: 'record-changed' }, 409);
    await page.advance(0.1, () => confirmButton().click());
    expect(outcomeElement()?.dataset.outcome).toBe('conflict');
    await pressKey('r');
    expect(fieldText('decision-reason')).toBe('No stake.');
  });

  it('discards its reason when its form is canceled or the record is decided', async () => {
    await open('#verification-requests', { [RECORD]: [requestRecord(row)] });
    const enterReasonAndClose = async () => {
      await openRow(row.referenceNumber);
      await pressKey('r');
      await page.type('decision-reason', 'No stake.');
      await page.advance(0.1, () => dialog()?.close());
      expect(hasDrafts()).toBe(true);
    };
    openButton(row.referenceNumber).focus();
    await pressKey('r');
    await page.type('decision-reason', 'No stake.');
    await pressKey('Escape');
    expect(hasDrafts()).toBe(false);
    await page.advance(0.1, () => dialog()?.close());

    await enterReasonAndClose();
    await openRow(row.referenceNumber);
    await pressKey('a');
    await page.advance(0, () => page.root.querySelector<HTMLInputElement>('[name="tier"]')?.click());
    await page.type('decision-despite', 'Seen in a call.');
    const { referenceNumber, changedAt } = row;
    page.respond(DECIDE, { success: true, referenceNumber, changedAt, status: 'approved' });
    await page.advance(0.1, () => confirmButton().click());
    expect(outcomeElement()?.dataset.outcome).toBe('done');
    expect(hasDrafts()).toBe(false);
    await page.advance(0.1, () => dialog()?.close());

    await enterReasonAndClose();
    // Another admin has approved the record.
    page.respond(RECORD, requestRecord({ ...row, status: 'approved' }));
    await openRow(row.referenceNumber);
    expect(hasDrafts()).toBe(false);
    await page.type('record-note', 'Called back.');
    await page.advance(10);
    expect(hasDrafts()).toBe(true);
  });

  it('on a loan waits for a second admin, and the first admin cannot vote twice', async () => {
    const VOTE = 'POST /api/admin/loan-applications/vote';
    await open('#loan-applications?record=BD-20261120-300001', {
      'GET /api/admin/loan-applications': [{ loanApplications: [], total: 0, ...LAST_PAGE }],
      [RECORD]: [loanRecord([{ by: 'grace', addedBy: null, isYours: false, decision: 'approve' }])],
    });
    expect(dialog()?.querySelector('[data-vote="approve"][data-by="grace"]')).not.toBeNull();
    expect(dialog()?.textContent).toContain('United Arab Emirates');
    page.respond(VOTE, {
      success: true,
      referenceNumber: 'BD-20261120-300001',
      changedAt: '2026-11-20T10:00:00.000Z',
      status: 'in-review',
      outcome: 'waiting',
    });
    page.respond(RECORD, loanRecord([{ by: 'ada', addedBy: null, isYours: true, decision: 'approve' }]));
    await pressKey('a');
    await page.advance(0.1, () => confirmButton().click());
    expect(calls(VOTE).map(({ payload }) => payload)).toMatchObject([{ vote: 'approve' }]);
    expect(outcomeElement()?.dataset.outcome).toBe('done');
    expect(actionKeys()).toEqual(['m']);
  });
});

describe('a note', () => {
  it('that mentions somebody is added once, even if its form is submitted again meanwhile', async () => {
    const [ADD, ADMINS] = ['/api/admin/notes/add', '/api/admin/mentionable'];
    const row = requestRow(1);
    await open(`#verification-requests?record=${row.referenceNumber}`, {
      [RECORD]: [requestRecord(row)],
      [`GET ${ADMINS}`]: [{ admins: [{ id: 'u2', username: 'grace' }] }],
      [`POST ${ADD}`]: [{ success: true, noteId: 'n1' }],
    });
    await page.type('record-note', 'Call her, @grace.');
    const submitForm = () =>
      page.advance(0.1, () =>
        page.root.querySelector<HTMLTextAreaElement>('#record-note')?.form?.requestSubmit(),
      );
    const releaseNote = holdResponses(ADD);
    await submitForm();
    const releaseAdmins = holdResponses(ADMINS);
    await submitForm();
    await page.advance(0.1, releaseNote);
    await page.advance(0.1, releaseAdmins);
    await page.settle();
    expect(calls(`POST ${ADD}`)).toHaveLength(1);
  });
});

describe('a change to a note', () => {
  it('is not kept when the record closes, so that the record shows the newest text', async () => {
    const row = requestRow(1);
    const note = (text: string) => ({
      ...{ id: 'n1', referenceNumber: row.referenceNumber, at: row.createdAt, by: 'ada', isYours: true },
      ...{ text, changedAt: null, isRemoved: false, isUnread: false, mentions: [], versions: [] },
    });
    const respondWith = (text: string) =>
      page.respond(RECORD, { ...requestRecord(row), notes: [note(text)] });
    await open('#verification-requests');
    respondWith('Called.');
    await openRow(row.referenceNumber);
    await page.press('Change note');
    await page.type('note-n1', 'Called twice.');
    expect(hasDrafts()).toBe(false);
    await page.advance(0.1, () => dialog()?.close());
    respondWith('Called back.');
    await openRow(row.referenceNumber);
    expect(page.root.querySelector('#note-n1')).toBeNull();
    expect(page.root.querySelector('[data-note]')?.textContent).toContain('Called back.');
  });
});
