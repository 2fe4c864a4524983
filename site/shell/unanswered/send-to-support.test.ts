// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readDraft, storeDraft } from '../../islands/form/draft.ts';
import { sendToSupport } from './send-to-support.ts';

beforeEach(() => {
  sessionStorage.clear();
  document.body.innerHTML = '';
});

describe('a question to support', () => {
  const open = vi.fn();

  it('becomes the message in the contact form, but is not in its URL', () => {
    sendToSupport('Where is my parcel?', open);
    expect(readDraft('contact')?.values).toEqual({ message: 'Where is my parcel?' });
    expect(open).toHaveBeenCalledExactlyOnceWith('/contact#send-message');
  });

  it('is added only once to the text that was already typed', () => {
    storeDraft('contact', { values: { name: 'Ada', message: 'Hello.\n' }, attempt: null });
    for (let press = 0; press < 2; press += 1) sendToSupport('Where is it?', open);
    expect(readDraft('contact')?.values).toEqual({ name: 'Ada', message: 'Hello.\n\nWhere is it?' });
  });

  it('is added to the open contact form', () => {
    document.body.innerHTML = '<form data-contact-form><textarea name="message">Hello.</textarea></form>';
    const onInput = vi.fn();
    document.addEventListener('input', onInput, { once: true });
    open.mockClear();
    sendToSupport('Where is it?', open);
    const field = document.querySelector('textarea');
    expect(field?.value).toBe('Hello.\n\nWhere is it?');
    expect(document.activeElement).toBe(field);
    expect(onInput).toHaveBeenCalledOnce();
    expect(open).not.toHaveBeenCalled();
  });
});
