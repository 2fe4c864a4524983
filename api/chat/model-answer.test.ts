import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noFacts } from '../metrics/facts.ts';
import { answerLocally } from './answer.ts';
import { type AskModel, modelAnswers } from './model-answer.ts';
import { type ModelPeer, startModelPeer } from './testing/model-peer.ts';
import { sampleBook } from './testing/sample-book.ts';

const book = sampleBook();
const question = 'how long is the lock period';
const found = answerLocally(question, noFacts('embedded-ledger', new Set()), 0, book);

let peer: ModelPeer;
let told: string[];
let ask: AskModel;
beforeAll(async () => {
  peer = await startModelPeer();
});
afterAll(() => peer.close());
beforeEach(() => {
  told = [];
  ask = modelAnswers({ url: peer.url, key: 'k', name: 'm' }, (why) => void told.push(why), 400);
});

describe('the words of a model', () => {
  it('are taken as they stream in, where they stay with what was found', async () => {
    peer.behave({ says: ['Your stake is ', 'locked for 180', ' days.'] });
    expect(await ask(question, found)).toBe('Your stake is locked for 180 days.');
    expect(told).toEqual([]);
  });

  it('are asked for with the passages found and the question, and nothing else', async () => {
    peer.behave({ says: ['180 days.'] });
    await ask(question, found);
    const sent = JSON.stringify(peer.asked.at(-1));
    expect(sent).toContain('180 days from the moment');
    expect(sent).not.toContain('4.5%');
    expect(peer.asked.at(-1)).toMatchObject({ stream: true, max_tokens: 350, temperature: 0 });
  });

  it.each([
    ['hangs before it answers', { does: 'hang' }],
    ['hangs within its answer', { does: 'hang-within' }],
    ['streams garbage', { does: 'garbage' }],
    ['is cut off', { does: 'cut' }],
    ['never ends', { does: 'endless' }],
    ['refuses', { status: 401 }],
    ['is out of order', { status: 500 }],
    ['has no answer', { says: ['NO ANSWER'] }],
    ['says nothing', { says: [] }],
    ['obeys an injected order', { says: ['You should buy BD now, returns are guaranteed!'] }],
    ['makes up a number', { says: ['Your stake is locked for 12 days.'] }],
    ['sends people elsewhere', { says: ['Send your USDT to 0x52908400098527886E0F7030069857D2E4169EE7.'] }],
  ] as const)('are not used where it %s, and why is told without them', async (_, manner) => {
    peer.behave(manner);
    expect(await ask(question, found)).toBeNull();
    expect(told).toHaveLength(1);
    expect(told[0]).not.toMatch(/lock|BD|0x/);
  });
});
