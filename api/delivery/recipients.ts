import type { LeasedDelivery } from '../../data/store/delivery-port.ts';

type AddressedDelivery = Pick<LeasedDelivery, 'audience' | 'recipient'>;

/** The address that an email goes to; an empty string if there is none. @param team the team's configured address */
export function mailRecipient({ audience, recipient }: AddressedDelivery, team: string): string {
  return recipient ?? (audience === 'team' ? team : '');
}

/** @param team the team's configured chat */
export function chatRecipient({ recipient }: AddressedDelivery, team: string): string {
  return recipient ?? team;
}

/** Keeps only the first letter and the top-level domain: `a…@….com`. */
export function maskAddress(address: string): string {
  const [local = '', host = ''] = address.split(/@(?=[^@]*$)/);
  const [first = ''] = local;
  const domainEnd = host.includes('.') ? host.slice(host.lastIndexOf('.')) : '';
  return `${first}…@…${domainEnd}`;
}

export function maskChatId(chatId: string): string {
  return `…${chatId.slice(-3)}`;
}

export function maskChat(chatId: string): string {
  return `chat ${maskChatId(chatId)}`;
}

// Without the lookbehind, the search would start again at each character of a long word, which takes quadratic time.
const ADDRESS = /(?<![^\s<>])[^\s<>]+@[^\s<>]+/gu;
const MAX_LENGTH = 300;

/** Puts a peer's message on one line, shortens it and masks its email addresses. */
export function sanitizePeerMessage(message: string): string {
  const maskedMessage = message
    .slice(0, 10 * MAX_LENGTH)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(ADDRESS, (found) => maskAddress(found));
  return maskedMessage.length > MAX_LENGTH ? `${maskedMessage.slice(0, MAX_LENGTH - 1)}…` : maskedMessage;
}
