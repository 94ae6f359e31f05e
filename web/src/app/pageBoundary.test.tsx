// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { PageBoundary } from './PageBoundary'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

function Broken(): never {
  throw new Error('Unable to preload CSS for /assets/part.css')
}

it('a page of which a part did not come says so and leaves the others', () => {
  vi.spyOn(console, 'error').mockReturnValue()
  render(
    <>
      <PageBoundary>
        <Broken />
      </PageBoundary>
      <PageBoundary>
        <p>另一页</p>
      </PageBoundary>
    </>,
  )
  expect(screen.getByText('页面加载失败，请重试')).toBeTruthy()
  expect(screen.getByRole('button', { name: '刷新页面' })).toBeTruthy()
  expect(screen.getByText('另一页')).toBeTruthy()
})
