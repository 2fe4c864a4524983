import { expect, it } from 'vitest';
import { endpointNames } from './endpoint-names.ts';

it('names endpoints by host, numbered where several share it, and never by what may be a key', () => {
  const keyed = 'https://user:hunter22@rpc.example.com/v2/secret-key-1?api-key=secret-key-2';
  expect(endpointNames([keyed, 'http://127.0.0.1:8899', 'https://rpc.example.com/other'])).toEqual([
    'rpc.example.com',
    '127.0.0.1:8899',
    'rpc.example.com #2',
  ]);
});
