// @vitest-environment happy-dom
import { act } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FormSpec } from '../../../data/model/forms/field.ts';
import { enterText } from '../testing/served-page.tsx';
import { FormFields } from './FormFields.tsx';
import { type Submission, useSubmission } from './use-submission.ts';

const FORM = {
  name: 'sample',
  fields: {
    email: { kind: 'email', label: 'Email', hint: 'Yours' },
    notes: { kind: 'lines', label: 'Notes', optional: true, rows: 2 },
  },
} as const satisfies FormSpec;

let submission: Submission;
const onAccepted = vi.fn();
function Sample() {
  submission = useSubmission(FORM, {
    path: '/api/sample',
    payload: (values, at) => ({ ...values, at }),
    onAccepted,
  });
  return (
    <form {...submission.formProps}>
      <FormFields form={submission} />
    </form>
  );
}

let root: Root;
let container: HTMLElement;
const sentRequests: { readonly key: string | null; readonly body: Readonly<Record<string, unknown>> }[] = [];
let responses: (() => Promise<Response>)[] = [];

async function show(): Promise<void> {
  container = document.createElement('div');
  document.body.append(container);
  root = createRoot(container);
  await act(async () => root.render(<Sample />));
}
async function hide(): Promise<void> {
  await act(async () => root.unmount());
  container.remove();
}
async function reload(): Promise<void> {
  await hide();
  await show();
}

const input = (name: string) => {
  const found = container.querySelector<HTMLInputElement>(`[name=${name}]`);
  if (!found) throw new Error(`There is no field ${name}.`);
  return found;
};
const type = (name: string, value: string) => act(async () => enterText(input(name), value));
const send = () => act(async () => submission.retry());
const values = () => ({ email: input('email').value, notes: input('notes').value });
const errorHrefs = () =>
  [...container.querySelectorAll('[role=alert] a')].map((link) => link.getAttribute('href'));

const respondAccepted = async () => Response.json({ success: true, referenceNumber: 'BD-20260101-123456' });
/** Delays the next response until the returned function is called. */
function delayResponse() {
  let respond = (_response: Response) => {};
  responses = [() => new Promise((resolve) => (respond = resolve))];
  return (response: Response) => act(async () => respond(response));
}

beforeEach(() => {
  sentRequests.length = 0;
  onAccepted.mockClear();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', async (_path: string, { headers, body }: RequestInit) => {
    sentRequests.push({ key: new Headers(headers).get('Idempotency-Key'), body: JSON.parse(String(body)) });
    return (responses.shift() ?? (async () => new Response('', { status: 500 })))();
  });
});
afterEach(async () => {
  await hide();
  sessionStorage.clear();
  vi.unstubAllGlobals();
  responses = [];
});

describe('a submission', () => {
  it('shows its errors on submit, removes them as they are corrected, and is not sent with errors', async () => {
    await show();
    await type('email', 'ada');
    expect(errorHrefs()).toEqual([]);
    await send();
    expect(errorHrefs()).toEqual(['#sample-email']);
    expect(document.activeElement).toBe(container.querySelector('[role=alert]'));
    expect(input('email').getAttribute('aria-invalid')).toBe('true');
    expect(input('email').getAttribute('aria-describedby')).toBe('sample-email-hint sample-email-error');
    await type('email', 'ada@example.com');
    expect(errorHrefs()).toEqual([]);
    expect(input('email').getAttribute('aria-describedby')).toBe('sample-email-hint');
    expect(sentRequests).toEqual([]);
  });

  it('keeps its fields when it fails, and a retry has the same key and time', async () => {
    await show();
    await type('email', 'ada@example.com');
    await send();
    expect(submission.sendState).toEqual({ kind: 'refused', message: null });
    expect(values().email).toBe('ada@example.com');
    await send();
    expect(sentRequests).toHaveLength(2);
    expect(sentRequests[1]).toEqual(sentRequests[0]);
  });

  it('keeps its key after a reload, and gets a new key when its values change', async () => {
    await show();
    await type('email', 'ada@example.com');
    await send();
    await reload();
    expect(values()).toEqual({ email: 'ada@example.com', notes: '' });
    await send();
    await type('notes', 'more');
    await send();
    expect(sentRequests[1]).toEqual(sentRequests[0]);
    expect(sentRequests[2]?.key).not.toBe(sentRequests[0]?.key);
  });

  it('removes its draft when it is accepted, and the next submission has a new key', async () => {
    await show();
    responses = [respondAccepted, respondAccepted];
    await type('email', 'ada@example.com');
    await send();
    expect(onAccepted).toHaveBeenCalledWith('BD-20260101-123456');
    expect(values().email).toBe('');
    expect(sessionStorage.length).toBe(0);
    await type('email', 'ada@example.com');
    await send();
    expect(sentRequests[1]?.key).not.toBe(sentRequests[0]?.key);
  });

  it('keeps what was typed while it was being sent, even after a reload', async () => {
    await show();
    const respond = delayResponse();
    await type('email', 'ada@example.com');
    await send();
    await type('notes', 'one thing more');
    await respond(await respondAccepted());
    expect(submission.sendState).toMatchObject({ kind: 'accepted' });
    expect(values()).toEqual({ email: '', notes: 'one thing more' });
    await reload();
    expect(values()).toEqual({ email: '', notes: 'one thing more' });
  });

  it('is sent once, even if it is submitted again while it is being sent', async () => {
    await show();
    const respond = delayResponse();
    await type('email', 'ada@example.com');
    await send();
    await send();
    expect(submission.sendState).toEqual({ kind: 'submitting' });
    await respond(await respondAccepted());
    expect(sentRequests).toHaveLength(1);
  });

  it('clears the hidden field if the server refuses the form, and never keeps it in a draft', async () => {
    await show();
    await type('email', 'ada@example.com');
    await type('website', 'https://spam.example');
    await send();
    await send();
    expect(sentRequests.map(({ body }) => body.website)).toEqual(['https://spam.example', '']);
    expect(sentRequests[1]?.key).not.toBe(sentRequests[0]?.key);
    expect(JSON.stringify(sessionStorage)).not.toContain('spam');
  });

  it('keeps what was typed before the script ran', async () => {
    container = document.createElement('div');
    document.body.append(container);
    container.innerHTML = renderToString(<Sample />);
    input('email').value = 'early@example.com';
    await act(async () => {
      root = hydrateRoot(container, <Sample />);
    });
    expect(values().email).toBe('early@example.com');
  });
});
