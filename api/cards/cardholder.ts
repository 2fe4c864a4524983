import type { BodyOf } from '../../data/contract/call.ts';
import type { createCard } from '../../data/contract/cards.ts';
import { CARDHOLDER_FIELDS, type Cardholder, isAdult } from '../../data/model/cardholder.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { createSecretBox } from '../admin/secret-box.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { ApiError } from '../errors.ts';
import type { CardIssuer } from './issuer.ts';

type Key = Pick<MasterKey, 'bytes'>;

const contextOf = (cardId: string) => `cardholder ${cardId}`;

export const sealCardholder = (cardholder: Cardholder, cardId: string, { bytes }: Key): string =>
  Buffer.from(
    createSecretBox(bytes).seal(Buffer.from(JSON.stringify(cardholder)), contextOf(cardId)),
  ).toString('base64');

/** Thrown if a cardholder's data cannot be decrypted, for example because the store was restored with another master key. */
export class CardholderUnreadableError extends Error {
  override readonly name = 'CardholderUnreadableError';
}

/**
 * The data that the holder of a card entered; null if the issuer required none, or if the data has been removed.
 * @throws {CardholderUnreadableError} The error contains none of the data.
 */
export function openCardholder({ id, cardholder }: StoredCard, { bytes }: Key): Cardholder | null {
  if (cardholder === null) return null;
  try {
    const opened = createSecretBox(bytes).open(Buffer.from(cardholder, 'base64'), contextOf(id));
    return JSON.parse(Buffer.from(opened).toString());
  } catch {
    throw new CardholderUnreadableError('A cardholder’s data cannot be decrypted.');
  }
}

/**
 * Reads a cardholder's details, which must be exactly the ones that the issuer requires.
 * @throws {ApiError} `cardholder-incomplete`
 */
export function readCardholder(
  { cardholder: enteredCardholder }: BodyOf<typeof createCard>,
  { cardholderFields }: Pick<CardIssuer, 'cardholderFields'>,
  acceptance: { readonly at: number; readonly from: string },
): Cardholder | null {
  const fields = CARDHOLDER_FIELDS.filter((field) => enteredCardholder?.[field] !== undefined);
  const missingFields = cardholderFields.filter((field) => !fields.includes(field));
  if (missingFields.length > 0)
    throw new ApiError('cardholder-incomplete', {
      text: `The card issuer requires ${missingFields.join(', ')}.`,
    });
  const unexpectedFields = fields.filter((field) => !cardholderFields.includes(field));
  if (unexpectedFields.length > 0)
    throw new ApiError('cardholder-incomplete', {
      text: `The card issuer does not ask for ${unexpectedFields.join(', ')}.`,
    });
  if (enteredCardholder === undefined || cardholderFields.length === 0) return null;
  const { firstName = '', lastName = '', dateOfBirth = '', email = '', phone = '' } = enteredCardholder;
  if (!isAdult(dateOfBirth, acceptance.at))
    throw new ApiError('cardholder-incomplete', {
      text: `You must be at least ${PORTAL_LIMITS.minimumAgeYears} years old. Check your date of birth.`,
    });
  const { at: acceptedAt, from: acceptedFrom } = acceptance;
  return { firstName, lastName, dateOfBirth, email, phone, acceptedAt, acceptedFrom };
}
