import type { LeasedDelivery } from '../../data/store/delivery-port.ts';

type Addressed = Pick<LeasedDelivery, 'audience' | 'recipient'>;

/** The email's address; an empty string if there is none. @param team the team's configured address */
export function mailRecipient({ audience, recipient }: Addressed, team: string): string {
  return recipient ?? (audience === 'team' ? team : '');
}

/** @param team the team's configured chat */
export function chatRecipient({ recipient }: Addressed, team: string): string {
  return recipient ?? team;
}

/** Shows only the first letter and the end of the host: `a…@….com`. */
export function maskedAddress(address: string): string {
  const [local = '', host = ''] = address.split(/@(?=[^@]*$)/);
  const [first = ''] = local;
  const end = host.includes('.') ? host.slice(host.lastIndexOf('.')) : '';
  return `${first}…@…${end}`;
}

/** Shows only the last three characters. */
export function maskedChatId(chatId: string): string {
  return `…${chatId.slice(-3)}`;
}

export function maskedChat(chatId: string): string {
  return `chat ${maskedChatId(chatId)}`;
}

const ADDRESS = /[^\s<>]+@[^\s<>]+/gu;
const MAX_LENGTH = 300;

/** Puts a peer's message on one line, shortens it and masks its email addresses. */
export function withoutAddresses(message: string): string {
  const plain = message
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(ADDRESS, (found) => maskedAddress(found));
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH - 1)}…` : plain;
}
