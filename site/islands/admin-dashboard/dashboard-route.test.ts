import { describe, expect, it } from 'vitest';
import { DASHBOARD_TABS, dashboardFragment, defaultView, parseDashboardRoute } from './dashboard-route.ts';
import { viewFromSaved } from './saved-view.ts';

describe('the fragment of the dashboard’s URL', () => {
  it.each(DASHBOARD_TABS)('contains only the tab %s while its list has its default view', (tab) => {
    const fragment = tab === 'overview' ? '' : `#${tab}`;
    const route = parseDashboardRoute(fragment);
    expect(route).toEqual({ tab, openReference: null, view: tab === 'overview' ? null : defaultView(tab) });
    expect(dashboardFragment(route)).toBe(fragment);
  });

  it('keeps the search, the filters, the order, the page and the open record', () => {
    const fragment =
      '#applications?q=ada+l%C3%B6ve%26&status=received&from=2026-01-01&sort=-name&rows=50&after=x.1_2&page=3&record=BD-20260102-123456';
    const route = parseDashboardRoute(fragment);
    expect(route).toEqual({
      tab: 'applications',
      openReference: 'BD-20260102-123456',
      view: {
        q: 'ada löve&',
        filters: { status: 'received', from: '2026-01-01' },
        sort: 'name',
        order: 'desc',
        rows: 50,
        after: 'x.1_2',
        page: 3,
      },
    });
    expect(dashboardFragment(route)).toBe(fragment);
  });

  it('keeps an assignee, and sorts by due time by default', () => {
    const fragment = '#contacts?assignee=0f8fad5b-d9cb-469f-a165-70867728950e';
    const { view } = parseDashboardRoute(fragment);
    expect(view).toMatchObject({
      filters: { assignee: '0f8fad5b-d9cb-469f-a165-70867728950e' },
      sort: 'dueAt',
      order: 'asc',
    });
    expect(dashboardFragment(parseDashboardRoute(fragment))).toBe(fragment);
    expect(defaultView('delivery-logs')).toMatchObject({ sort: 'attemptedAt', order: 'desc' });
  });

  it('leaves out saved fields that the list no longer has, and reports their names', () => {
    const savedView = {
      q: 'ada',
      filters: { status: 'open', tier: 'Raven' },
      sort: 'gone',
      order: 'desc',
      rows: 50,
    };
    const { view, droppedNames } = viewFromSaved('contacts', { ...savedView, order: 'desc' });
    expect(view).toEqual({ ...defaultView('contacts'), q: 'ada', filters: { status: 'open' }, rows: 50 });
    expect(droppedNames).toEqual(['tier', 'gone']);
    const knownView = {
      q: '',
      filters: { received: 'last-week' },
      sort: 'name',
      order: 'asc',
      rows: 25,
    } as const;
    expect(viewFromSaved('contacts', knownView)).toEqual({
      view: { ...defaultView('contacts'), ...knownView },
      droppedNames: [],
    });
  });

  it.each([
    '#nonsense',
    '#applications?status=lost&tier=Gold&sort=-age&rows=7&page=2&from=2026-13-41&record=BD-1',
    '#contacts?status=received&assignee=ada&after=a%20b&page=2',
    '#delivery-logs?after=abc&page=0',
  ])('replaces unknown values with the defaults: %s', (fragment) => {
    const { tab, view, openReference } = parseDashboardRoute(fragment);
    expect({ list: view, record: openReference }).toEqual({
      list: tab === 'overview' ? null : defaultView(tab),
      record: null,
    });
  });
});
