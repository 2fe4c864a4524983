interface PeerTask {
  readonly product: string;
  /** Clicks, keys and typed texts, starting from the product's start page. Counted in the same way as for the portal. */
  readonly steps: number;
  readonly how: string;
  readonly source: string;
}

const LINEAR_TRIAGE = 'https://linear.app/docs/triage';

/**
 * For each task, the documented steps of a product that does the task well. Tasks without such documentation are left out.
 */
export const PEER_TASKS: Readonly<Record<string, PeerTask>> = {
  decide: {
    ...{ product: 'Linear', steps: 6, source: LINEAR_TRIAGE },
    how: 'G, T, open the issue, 3 to decline, explain, confirm',
  },
  verify: {
    ...{ product: 'Linear', steps: 6, source: LINEAR_TRIAGE },
    how: 'G, T, open the issue, 1 to accept, comment, confirm',
  },
  'retry the other bounces': {
    ...{ product: 'Django admin', steps: 4 },
    how: 'open the list, select all, choose the action, Go',
    source: 'https://docs.djangoproject.com/en/5.2/ref/contrib/admin/actions/',
  },
  'export this week': {
    ...{ product: 'Stripe', steps: 4 },
    how: 'open the payments, Export, choose the days, Export',
    source: 'https://support.stripe.com/questions/exporting-payment-reports',
  },
  'clear 20 overdue messages': {
    ...{ product: 'Zendesk', steps: 5 },
    how: 'open the view, select the list, Edit, choose the status, Submit',
    source: 'https://support.zendesk.com/hc/en-us/articles/4408886890906',
  },
  'reply with a template': {
    ...{ product: 'Zendesk', steps: 5 },
    how: 'open the view, open the ticket, Apply macro, choose it, Submit',
    source: 'https://handbook.gitlab.com/handbook/security/customer-support-operations/zendesk/macros/',
  },
  'ask for more information': {
    ...{ product: 'Linear', steps: 5, source: LINEAR_TRIAGE },
    how: 'G, T, open the issue, comment, send',
  },
  'assign to oneself': {
    ...{ product: 'Linear', steps: 3 },
    how: 'open the list, point at the issue, I',
    source: 'https://linear.app/docs/assigning-issues',
  },
  erase: {
    ...{ product: 'Zendesk', steps: 8 },
    how: 'open the customers, the user, the options, Delete, confirm; open the deleted users, delete permanently, confirm',
    source: 'https://support.zendesk.com/hc/en-us/articles/4408821737498',
  },
  invite: {
    ...{ product: 'Directus', steps: 5 },
    how: 'open the users, Invite, address, role, confirm',
    source: 'https://docs.directus.io/app/user-directory.html',
  },
  'add a passkey': {
    ...{ product: 'Stripe', steps: 6 },
    how: 'open the profile, Add a passkey, verify, Continue, create it in the browser, Save',
    source: 'https://support.stripe.com/questions/set-up-a-passkey-for-one-click-login',
  },
};

/**
 * The steps in Front, as its public documentation describes them; null if Front cannot do the task. No public article
 * describes the other tasks step by step.
 */
export const FRONT_STEPS: Readonly<
  Record<string, { readonly steps: number | null; readonly how: string; readonly source: string }>
> = {
  'close one message': {
    steps: 3,
    how: 'open the inbox, open the conversation, Archive',
    source: 'https://help.front.com/t/8024vn/how-to-archive-a-conversation',
  },
  erase: {
    steps: null,
    how: 'conversations and contacts are deleted by age only, not those of one person',
    source: 'https://help.front.com/en/articles/2083',
  },
};
