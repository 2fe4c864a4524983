// @vitest-environment happy-dom
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Field } from './Field.tsx';
import { type FormPlan, useForm } from './use-form.ts';

const PLAN: FormPlan<'email' | 'notes'> = {
  name: 'sample',
  initial: { email: '', notes: '' },
  rules: { email: (email) => (email.includes('@') ? null : 'Give an address') },
  path: '/api/sample',
  payload: (values, at) => ({ ...values, at }),
};

let shown: ReturnType<typeof useForm<'email' | 'notes'>>;
function Sample({ plan }: { readonly plan: FormPlan<'email' | 'notes'> }) {
  shown = useForm(plan);
  return <Field {...shown.field('email')} label="Email" hint="Yours" />;
}

const WITH_TRAP: FormPlan<'email' | 'notes' | 'website'> = {
  ...PLAN,
  initial: { ...PLAN.initial, website: '' },
  payload: (values) => values,
};
let form: ReturnType<typeof useForm<'email' | 'notes' | 'website'>> | undefined;
function Trapped() {
  form = useForm(WITH_TRAP);
  return null;
}

let root: Root;
let place: HTMLElement;
const sent: { readonly key: string | null; readonly body: unknown }[] = [];
let answers: (() => Promise<Response>)[] = [];

async function show(plan = PLAN): Promise<void> {
  place = document.createElement('div');
  document.body.append(place);
  root = createRoot(place);
  await act(async () => root.render(<Sample plan={plan} />));
}
const set = (name: 'email' | 'notes', value: string) => act(async () => shown.field(name).onValue(value));
const send = () => act(async () => shown.retry());

beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', async (_path: string, { headers, body }: RequestInit) => {
    sent.push({ key: new Headers(headers).get('Idempotency-Key'), body: JSON.parse(String(body)) });
    return (answers.shift() ?? (async () => new Response('', { status: 500 })))();
  });
});
afterEach(async () => {
  await act(async () => root.unmount());
  place.remove();
  sessionStorage.clear();
  vi.unstubAllGlobals();
  answers = [];
});

const accepted = async () => Response.json({ success: true, referenceNumber: 'BD-20260101-123456' });

describe('a form', () => {
  it('tells its faults once it is submitted, follows them while they are mended, and is not sent with any', async () => {
    await show();
    expect(shown.faults).toEqual([]);
    await send();
    expect(shown.faults).toEqual([expect.objectContaining({ id: 'sample-email', words: 'Give an address' })]);
    const input = place.querySelector('input');
    expect(input?.getAttribute('aria-invalid')).toBe('true');
    expect(input?.getAttribute('aria-describedby')).toBe('sample-email-hint sample-email-fault');
    await set('email', 'a@b');
    expect(shown.faults).toEqual([]);
    expect(input?.getAttribute('aria-describedby')).toBe('sample-email-hint');
    expect(sent).toEqual([]);
  });

  it('keeps its fields where sending failed, and goes out again under the same key and time', async () => {
    await show();
    await set('email', 'a@b');
    await send();
    expect(shown.sending).toEqual({ kind: 'refused', words: null });
    expect(shown.values.email).toBe('a@b');
    await send();
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('is the same attempt after a reload, and another one once it says something else', async () => {
    await show();
    await set('email', 'a@b');
    await send();
    await act(async () => root.unmount());
    await show();
    expect(shown.values).toEqual({ email: 'a@b', notes: '' });
    await send();
    await set('notes', 'more');
    await send();
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[2]?.key).not.toBe(sent[0]?.key);
  });

  it('forgets its draft once it was taken, and is another submission the next time', async () => {
    const onAccepted = vi.fn();
    await show({ ...PLAN, onAccepted });
    answers = [accepted, accepted];
    await set('email', 'a@b');
    await send();
    expect(onAccepted).toHaveBeenCalledWith('BD-20260101-123456');
    expect(shown.values.email).toBe('');
    expect(sessionStorage.length).toBe(0);
    await set('email', 'a@b');
    await send();
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });

  it('keeps what was typed while it was under way, also over a reload', async () => {
    let answer = (_response: Response) => {};
    answers = [() => new Promise((resolve) => (answer = resolve))];
    await show();
    await set('email', 'a@b');
    await send();
    await set('notes', 'one thing more');
    await act(async () => answer(await accepted()));
    expect(shown.sending).toMatchObject({ kind: 'accepted' });
    expect(shown.values).toEqual({ email: '', notes: 'one thing more' });
    await act(async () => root.unmount());
    await show();
    expect(shown.values).toEqual({ email: '', notes: 'one thing more' });
    await set('email', 'a@b');
    await send();
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });

  it('is freed of what a program wrote into the field that people do not see, once it was refused for that', async () => {
    place = document.createElement('div');
    root = createRoot(place);
    await act(async () => root.render(<Trapped />));
    await act(async () => form?.field('email').onValue('a@b'));
    await act(async () => form?.field('website').onValue('https://spam.example'));
    await act(async () => root.render(null));
    await act(async () => root.render(<Trapped />));
    expect(form?.values).toEqual({ email: 'a@b', notes: '', website: '' });
    await act(async () => form?.field('website').onValue('https://spam.example'));
    await act(async () => form?.retry());
    await act(async () => form?.retry());
    expect(sent.map(({ body }) => body)).toEqual([
      { email: 'a@b', notes: '', website: 'https://spam.example' },
      { email: 'a@b', notes: '', website: '' },
    ]);
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
  });

  it('is sent once, however often it is submitted while it is under way', async () => {
    let answer = (_response: Response) => {};
    answers = [() => new Promise((resolve) => (answer = resolve))];
    await show();
    await set('email', 'a@b');
    await send();
    await send();
    expect(shown.sending).toEqual({ kind: 'submitting' });
    await act(async () => answer(Response.json({ success: true, referenceNumber: 'BD-20260101-123456' })));
    expect(sent).toHaveLength(1);
    expect(shown.sending).toMatchObject({ kind: 'accepted' });
  });
});
