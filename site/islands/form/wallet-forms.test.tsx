// @vitest-environment happy-dom

import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTelegramAnswerLink } from '../../../data/contract/paths.ts';
import ApplicationForm from '../application/ApplicationForm.tsx';
import CardApplicationOverlay from '../application/CardApplicationOverlay.tsx';
import InlineVerificationForm from '../manual-verification/InlineVerificationForm.tsx';
import ManualVerificationModal from '../manual-verification/ManualVerificationModal.tsx';
import { enterText } from '../testing/served-page.tsx';

const WALLET_A = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';
const WALLET_B = 'So11111111111111111111111111111111111111112';
const ignore = () => {};
const cardProps = { tier: 'Banker', stakedAmount: '5000000' } as const;
const currentDetection = 'No BD tokens found';

interface WalletForm {
  readonly name: string;
  readonly form: (walletAddress: string) => ReactNode;
  readonly values: Readonly<Record<string, string>>;
  /** The field of the request body that contains the wallet address. */
  readonly sentAs: string;
}

const FORMS: readonly WalletForm[] = [
  {
    name: 'the modal for manual verification',
    form: (walletAddress) => (
      <ManualVerificationModal {...{ walletAddress, currentDetection }} onClose={ignore} />
    ),
    values: {
      userEmail: 'ada@example.com',
      claimedStakedAmount: '2,000,000',
      requestReason: 'It is staked in another pool.',
      evidenceProvided: 'tx 5abc',
    },
    sentAs: 'walletAddress',
  },
  {
    name: 'the inline form for manual verification',
    form: (walletAddress) => (
      <InlineVerificationForm {...{ walletAddress, currentDetection }} onSuccess={ignore} />
    ),
    values: { userEmail: 'ada@example.com', evidence: 'tx 5abc' },
    sentAs: 'walletAddress',
  },
  {
    name: 'the overlay of the card application',
    form: (walletAddress) => (
      <CardApplicationOverlay {...cardProps} walletAddress={walletAddress} onClose={ignore} />
    ),
    values: { cardAlias: 'Daily', fullName: 'Ada', email: 'ada@example.com', telegram: 'ada', notes: 'None' },
    sentAs: 'walletAddress',
  },
  {
    name: 'the page of the card application',
    form: (walletAddress) => (
      <ApplicationForm {...cardProps} walletAddress={walletAddress} onOtherWallet={ignore} />
    ),
    values: {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      phoneNumber: '+44 20 7946 0000',
      alias: 'Daily',
    },
    sentAs: 'wallet',
  },
];

let sentBodies: Readonly<Record<string, unknown>>[];
let openRoots: Root[];

beforeEach(() => {
  sentBodies = [];
  openRoots = [];
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', async (path: string, { body }: RequestInit) => {
    if (path === createTelegramAnswerLink) return Response.json({ chatUrl: null });
    sentBodies.push(JSON.parse(String(body)));
    return Response.json({ success: true, referenceNumber: 'BD-20260101-123456' });
  });
});
afterEach(async () => {
  await closeAll();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

/** Adds a form to the page, next to those already open. */
async function open(form: ReactNode) {
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  openRoots.push(root);
  await act(async () => root.render(form));
  const fields = () =>
    [...container.querySelectorAll<HTMLInputElement>('[name]')].filter(({ name }) => name !== 'website');
  return {
    container,
    fields,
    values: () =>
      Object.fromEntries(fields().flatMap(({ name, value, readOnly }) => (readOnly ? [] : [[name, value]]))),
    type: (values: Readonly<Record<string, string>>) =>
      act(async () => {
        for (const field of fields()) {
          const text = values[field.name];
          if (text !== undefined) enterText(field, text);
        }
      }),
    send: () => act(async () => container.querySelector('form')?.requestSubmit()),
  };
}

async function closeAll(): Promise<void> {
  await act(async () => {
    for (const root of openRoots.splice(0)) root.unmount();
  });
  document.body.replaceChildren();
}

describe.each(FORMS)('$name', ({ form, values, sentAs }) => {
  it('shows, sends and restores only data of its own wallet, even if another wallet’s form is on the page', async () => {
    const first = await open(form(WALLET_A));
    await first.type(values);
    const second = await open(form(WALLET_B));
    expect(Object.values(second.values()).join('')).toBe('');
    expect(second.container.innerHTML).not.toContain(WALLET_A);
    await second.type(values);
    await second.send();
    expect(sentBodies.map((body) => body[sentAs])).toEqual([WALLET_B]);
    expect(JSON.stringify(sentBodies)).not.toContain(WALLET_A);
    await closeAll();
    expect((await open(form(WALLET_A))).values()).toMatchObject(values);
  });

  it('neither stores read-only values in a draft nor restores them from it', async () => {
    const { fields, type } = await open(form(WALLET_A));
    await type(values);
    const [key = ''] = Object.keys(sessionStorage);
    expect(sessionStorage.getItem(key)).not.toContain(WALLET_A);
    const readOnly = fields().filter((field) => field.readOnly);
    const draft = JSON.parse(sessionStorage.getItem(key) ?? '');
    for (const { name } of readOnly) draft.values[name] = WALLET_B;
    sessionStorage.setItem(key, JSON.stringify(draft));
    await closeAll();
    const reopened = await open(form(WALLET_A));
    expect(reopened.container.innerHTML).not.toContain(WALLET_B);
    await reopened.send();
    expect(sentBodies.map((body) => body[sentAs])).toEqual([WALLET_A]);
  });
});
