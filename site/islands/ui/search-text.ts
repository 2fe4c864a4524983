import { createContext } from 'react';

export const SearchTextContext = createContext('');
