//! A value that comes once, later.

use std::{
    cell::RefCell,
    future::Future,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

struct State<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// The giving end.
pub struct Giver<T>(Rc<RefCell<State<T>>>);

/// The waiting end.
pub struct Once<T>(Rc<RefCell<State<T>>>);

/// Both ends.
pub fn once<T>() -> (Giver<T>, Once<T>) {
    let state = Rc::new(RefCell::new(State { value: None, waker: None }));
    (Giver(state.clone()), Once(state))
}

impl<T> Giver<T> {
    /// Gives the value.
    pub fn give(self, value: T) {
        let waker = {
            let mut state = self.0.borrow_mut();
            state.value = Some(value);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Future for Once<T> {
    type Output = T;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut state = self.0.borrow_mut();
        match state.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
