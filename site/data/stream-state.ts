import { atom } from 'nanostores';

/** `connecting`: the first attempt since the page opened. `live`: messages arrive. `reconnecting`: they do not. */
export type StreamState = 'connecting' | 'live' | 'reconnecting';

export const $streamState = atom<StreamState>('connecting');
