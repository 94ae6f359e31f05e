import { afterEach, expect, it } from 'vitest'
import { mendStyles, watchStyles } from './failedStyles'

watchStyles()
afterEach(() => {
  document.head.innerHTML = ''
})

/** Whether files seem to load; the document of these tests loads none. */
function filesLoad(well: boolean): void {
  const { happyDOM } = window as unknown as { happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } } }
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = well
}

/** A sheet that has loaded, or has failed. */
function sheet(): Promise<HTMLLinkElement> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = './page.css'
  return new Promise((resolve) => {
    for (const end of ['load', 'error']) link.addEventListener(end, () => resolve(link))
    document.head.append(link)
  })
}
const links = () => [...document.head.querySelectorAll('link')]

it('a sheet that failed is asked for again, once, and waited for', async () => {
  filesLoad(false)
  const first = await sheet()
  filesLoad(true)
  await mendStyles()
  const [again] = links()
  expect(links()).toHaveLength(1)
  expect(again).not.toBe(first)
  expect(again?.href).toBe(first.href)
  await mendStyles()
  expect(links()).toEqual([again])
})

it('one that fails again is told of, and asked for the next time', async () => {
  filesLoad(false)
  await sheet()
  await expect(mendStyles()).rejects.toThrow('page.css')
  const [second] = links()
  filesLoad(true)
  await mendStyles()
  expect(links()).toHaveLength(1)
  expect(links()[0]).not.toBe(second)
})

it('what did come is left alone', async () => {
  filesLoad(true)
  const link = await sheet()
  await mendStyles()
  expect(links()).toEqual([link])
})
