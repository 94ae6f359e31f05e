import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { HttpError } from '@/api/client'
import { Photos } from './Photos'

const photos = [
  { id: '1', name: '现场照片 1', note: '拍摄于 12 米外' },
  { id: '2', name: '现场照片 2' },
]
const picture = (text: string) => Promise.resolve(new Blob([text], { type: 'image/jpeg' }))

afterEach(cleanup)

function show(load: (id: string) => Promise<Blob>, shown = photos) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  return render(
    <QueryClientProvider client={client}>
      <Photos photos={shown} of={['test']} load={load} none="没有照片" />
    </QueryClientProvider>,
  )
}

describe('photos of a case', () => {
  it('are shown as they came, with what is said of them', async () => {
    show((id) => picture(`photo ${id}`))
    const images = await Promise.all(photos.map(({ name }) => screen.findByRole('img', { name })))
    const sources = images.map((image) => image.getAttribute('src'))
    expect(sources).toEqual(['photo 1', 'photo 2'].map((text) => `data:image/jpeg;base64,${btoa(text)}`))
    expect(screen.getByText('拍摄于 12 米外')).toBeTruthy()
  })

  it('say which of them cannot be shown, and that there are none', async () => {
    const { unmount } = show((id) => (id === '1' ? Promise.reject(new HttpError(500, '')) : picture('x')))
    expect(await screen.findByText('现场照片 1加载失败')).toBeTruthy()
    expect(await screen.findByRole('img', { name: '现场照片 2' })).toBeTruthy()
    unmount()
    show(() => picture('x'), [])
    expect(screen.getByText('没有照片')).toBeTruthy()
  })
})
