import { createContext } from 'react';

/** The search string of the surrounding table. */
export const SearchTextContext = createContext('');
