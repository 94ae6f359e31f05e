import { createContext } from 'react'

/** The server's present, as of the last second. */
export const NowContext = createContext(0)

/** Screen px of one stage px: what draws on a canvas needs so many more of its own. */
export const ScaleContext = createContext(1)
