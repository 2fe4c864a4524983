/** What a log may hold of a mail address: the first letter, and the end of the host's name. `a…@….com` */
export function maskedAddress(address: string): string {
  const [local = '', host = ''] = address.split(/@(?=[^@]*$)/);
  const [first = ''] = local;
  const end = host.includes('.') ? host.slice(host.lastIndexOf('.')) : '';
  return `${first}…@…${end}`;
}

/** What may be told of a chat's id: its last three signs. */
export function maskedChatId(chatId: string): string {
  return `…${chatId.slice(-3)}`;
}

/** What a log may hold of a chat. */
export function maskedChat(chatId: string): string {
  return `chat ${maskedChatId(chatId)}`;
}

const ADDRESS = /[^\s<>]+@[^\s<>]+/gu;
const LONGEST = 300;

/** A peer's words, without mail addresses, control signs and excess. */
export function withoutAddresses(words: string): string {
  const plain = words
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(ADDRESS, (found) => maskedAddress(found));
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain;
}
