//! One source, several instruction sets: the processor at hand decides at run time which one runs.
//!
//! [`fastest!`](crate::fastest) wraps plain loops so that the compiler makes a version for AVX-512, one for AVX2 and
//! one for every processor. The compiler may only use wider registers, never another order of operations or fused
//! multiply-adds (Rust does not contract), so all versions give the same bits.

/// Defines a function in versions for several instruction sets. Its body must be branch-light plain Rust.
macro_rules! fastest {
    ($(#[$about:meta])* $vis:vis fn $name:ident($($arg:ident : $type:ty),* $(,)?) $(-> $out:ty)? $body:block) => {
        $(#[$about])*
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn plain($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn avx512($($arg: $type),*) $(-> $out)? { plain($($arg),*) }
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),*) $(-> $out)? { plain($($arg),*) }

                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the processor has just been asked for exactly these instructions.
                    return unsafe { avx512($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has just been asked for exactly these instructions.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}

pub(crate) use fastest;
