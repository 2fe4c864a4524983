import type { z } from 'zod';
import type {
  formApplication,
  overlayApplication,
  testPageApplication,
} from '../../data/contract/applications.ts';
import { telegramName } from '../../data/model/form-text.ts';
import type { NewCardApplication } from '../../data/store/application-port.ts';

/** What an application says, whichever shape it came in. */
export type StatedApplication = Pick<
  NewCardApplication,
  | 'shape'
  | 'name'
  | 'email'
  | 'phone'
  | 'telegram'
  | 'alias'
  | 'notes'
  | 'walletAddress'
  | 'statedAmount'
  | 'statedTier'
>;

/** Left out, null and empty are one: not given. */
function given(text: string | null | undefined): string | null {
  return text ? text : null;
}

/** Amounts come as numbers or as text, and are kept as they were stated. */
function statedAmount(amount: number | string | null | undefined): string | null {
  return given(typeof amount === 'number' ? String(amount) : amount);
}

function statedTelegram(telegram: string | null | undefined): string | null {
  return given(telegramName(telegram ?? ''));
}

export function fromOverlay(body: z.output<typeof overlayApplication>): StatedApplication {
  return {
    shape: 'overlay',
    name: body.fullName,
    email: body.email,
    phone: null,
    telegram: statedTelegram(body.telegram),
    alias: body.cardAlias,
    notes: given(body.notes),
    walletAddress: given(body.walletAddress),
    statedAmount: statedAmount(body.bdAmount),
    statedTier: given(body.tier),
  };
}

export function fromTestPage(body: z.output<typeof testPageApplication>): StatedApplication {
  return {
    shape: 'test-page',
    name: body.name,
    email: body.email,
    phone: null,
    telegram: statedTelegram(body.telegram),
    alias: given(body.alias),
    notes: given(body.notes),
    walletAddress: body.wallet,
    statedAmount: statedAmount(body.bd_amount),
    statedTier: given(body.tier),
  };
}

export function fromForm(body: z.output<typeof formApplication>): StatedApplication {
  return {
    shape: 'v2',
    name: body.name,
    email: body.email,
    phone: body.phone,
    telegram: null,
    alias: body.alias,
    notes: null,
    walletAddress: body.wallet,
    statedAmount: statedAmount(body.bd_amount),
    statedTier: given(body.tier),
  };
}
