import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIncomingMessage, readCommand } from './incoming-message.ts';

const MESSAGE = {
  message_id: 7,
  date: 1_767_225_600,
  text: '/status',
  chat: { id: -1001, type: 'supergroup' },
  from: { id: 1, is_bot: false, first_name: 'Ada', username: 'ada_l' },
};

describe('an update', () => {
  it('is parsed into its message, with the text that it replies to', () => {
    expect(parseIncomingMessage({ update_id: 1, message: MESSAGE })).toEqual({
      id: 7,
      at: 1_767_225_600_000,
      text: '/status',
      chatId: '-1001',
      isPrivate: false,
      username: 'ada_l',
      updateId: 1,
      repliedText: null,
    });
    const reply = { ...MESSAGE, reply_to_message: { text: 'BD-20260102-123456' } };
    expect(parseIncomingMessage({ update_id: 2, message: reply })?.repliedText).toBe('BD-20260102-123456');
  });

  it.each([
    ['its caption', { photo: [], caption: 'tx 5Kx' }, 'tx 5Kx'],
    ['an empty text if there is no caption', { document: {} }, ''],
  ])('with a file is parsed into a message with %s', (_case, file, text) => {
    const message = { ...MESSAGE, text: undefined, ...file };
    expect(parseIncomingMessage({ update_id: 1, message })).toMatchObject({ id: 7, text });
  });

  it.each([
    ['no message', undefined],
    ['neither a text nor a file', { ...MESSAGE, text: undefined, pinned_message: MESSAGE }],
    ['a message from a bot', { ...MESSAGE, from: { is_bot: true } }],
    ['an unexpected shape', { text: 1 }],
    ['a longer text than Telegram allows', { ...MESSAGE, text: 'x'.repeat(4_097) }],
  ])('with %s needs no answer', (_case, message) => {
    expect(parseIncomingMessage({ update_id: 1, message })).toBeNull();
  });
});

describe('a command', () => {
  it.each([
    ['/status', { name: 'status', argument: '', isAddressed: false }],
    ['/VERIFY  abc  ', { name: 'verify', argument: 'abc', isAddressed: false }],
    ['/verify@Duck_Bot abc', { name: 'verify', argument: 'abc', isAddressed: true }],
    ['/verify\nabc', { name: 'verify', argument: 'abc', isAddressed: false }],
    ['/status@other_bot', null],
    ['status', null],
    [' /status', null],
    ['/status!', null],
    ['/', null],
  ])('is recognized only in the right form and for this bot: %j', (text, command) => {
    expect(readCommand(text, 'duck_bot')).toEqual(command);
  });

  it('can be parsed from any text without an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const command = readCommand(`/${text}`, 'duck_bot');
        if (command) expect(command.name).toMatch(/^[a-z0-9_]+$/);
      }),
    );
  });
});
